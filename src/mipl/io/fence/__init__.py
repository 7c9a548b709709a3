"""The caller's side of the fence: files of unknown origin are read in a child."""

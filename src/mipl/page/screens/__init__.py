"""The screens, a file each; see ``mipl.page`` for how one is added."""

"""A method that keeps what no checkpoint can see."""

from mipl import MIPLMA, Training


class CountsItsSteps(MIPLMA):
    """check_resume"""

    def __init__(self, width=8, dropout=0.0, training=None, random_state=None):
        super().__init__(
            width=width, dropout=dropout, training=training, random_state=random_state
        )

    def _default_training(self):
        return Training(epochs=6, lr=0.3, batch_size=32)

    def _fit(self, bags, candidates, **how):
        self._steps = 0
        super()._fit(bags, candidates, **how)

    def _loss(self, out, batch, w, clock):
        self._steps += 1
        terms = super()._loss(out, batch, w, clock)
        return {name: term * (1 + 0.1 * self._steps) for name, term in terms.items()}

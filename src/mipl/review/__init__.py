"""Review: which bags to ask a person about, and what becomes of the answers.

``review_queue`` orders bags by how much is in doubt and tells why; ``Review`` keeps
answers as they are given; ``apply_answers`` makes the data set of them, and
``train_again`` the run on it.
"""

from mipl.review.answer_file import Answer, AnswerFile
from mipl.review.answer_table import (
    read_answers,
    write_answers,
    write_labels,
    write_queue,
)
from mipl.review.answered_data import apply_answers
from mipl.review.questions import Question, Reason, bags_to_review, review_queue
from mipl.review.retraining import Changes, TrainedAgain, train_again
from mipl.review.review_folder import Review
from mipl.review.signals import REASONS, Rule, Signals

__all__ = [
    "REASONS",
    "Answer",
    "AnswerFile",
    "Changes",
    "Question",
    "Reason",
    "Review",
    "Rule",
    "Signals",
    "TrainedAgain",
    "apply_answers",
    "bags_to_review",
    "read_answers",
    "review_queue",
    "train_again",
    "write_answers",
    "write_labels",
    "write_queue",
]

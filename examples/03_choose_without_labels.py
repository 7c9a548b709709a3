"""Choose arguments without a single true label.
=============================================

    python examples/03_choose_without_labels.py

A grid search needs a score, and a score needs labels; here there are only candidate
sets. ``covering_rate`` counts how often a held-out prediction lies in its set, which no
model does by chance alone. At the end, and only there, the true labels are looked at.
"""

from sklearn.model_selection import GridSearchCV, KFold

from mipl import MIPLMA, Training, load_dataset
from mipl.selection import approximated_accuracy, covering_rate, margin_violation_rate

train, test = load_dataset("synthetic", r=1, n_bags=150).split(0)

search = GridSearchCV(
    MIPLMA(training=Training(epochs=30), random_state=0),
    {"lam": [0.0, 1.0], "training__lr": [0.001, 0.1]},
    scoring={
        "covering": covering_rate,
        "approximated": approximated_accuracy,
        "violations": margin_violation_rate,
    },
    refit="covering",
    cv=KFold(3, shuffle=True, random_state=0),  # bags may be sorted by class
)
search.fit(train.bags, train.candidates)

results = search.cv_results_
print("lam   lr      covering  approximated")
for arguments, covering, approximated in zip(
    results["params"],
    results["mean_test_covering"],
    results["mean_test_approximated"],
    strict=True,
):
    lam, lr = arguments["lam"], arguments["training__lr"]
    print(f"{lam:<5} {lr:<7} {covering:.3f}     {approximated:.3f}")

best = search.best_estimator_
print("chosen:", search.best_params_)
print(f"its accuracy on other bags: {best.score(test.bags, test.labels):.3f}")

r"""The tables of :obj:`pyg-cagp reproduce`, for its help.

They are named here once more, as the module that makes them imports everything
there is, which the command line must not wait for.
"""

TABLE_NAMES = {
    "summary": "the main figures on every graph",
    "verdicts": "each claim of the paper beside what is measured",
    "statistics": "sizes of graphs",
    "partitions": "what each preset makes of test triples, and U_str on each",
    "frequencies": "how often entities of each kind were seen",
    "table1": "temporal-like OOD, partition of the paper's tables 1 and 2",
    "stated": "the same, partition as the paper's text states it",
    "inclusive": "the same, threshold included",
    "table2": "by kind of OOD",
    "appendix": "the same, partition of the paper's appendix",
    "table3": "standard OOD: random tails",
    "table4": "methods by shift",
    "metrics": "AUPR, F1 and false positives",
    "significance": "CAGP against each method, by a paired bootstrap",
    "assumptions": "A1 to A6",
    "a3": "novel contexts with a match in frequency",
    "mixing": "fixed and learned weights",
    "coverage": "binary, log and TF-IDF coverage",
    "composition": "what the future of a dated graph consists of",
    "calibration": "doubts as probabilities",
    "selective": "answering 85 % of queries",
    "architectures": "DistMult, TransE, ComplEx and RotatE",
    "mistakes": "what CAGP gets wrong",
    "tau": "the threshold of emerging entities",
    "cost": "time and memory",
    "leak": "scales that see labels, beside one that does not",
    "comprehensive": "all kinds of OOD at once",
    "timestamp": "future against held-out past",
    "verified-negatives": "triples that people found to be false",
    "errors": "ranking of the model's errors",
    "conformal": "answer sets that promise 90 %",
    "confidences": "given confidences, predicted (NL27k)",
    "posteriors": "variances of training and of the posterior",
    "arrival": "detection week by week, with and without new evidence",
    "effort": "how long the records took",
}

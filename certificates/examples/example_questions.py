"""The questions that the accepted examples answer: properties, radius queries and how each is to be proved.

A question is (name, network, options for both programs, claim, semantics asked, options for `verify` alone). Options
name files relative to this folder. Properties are written by write_properties(); their numbers were chosen by hand
between what holds and what does not.
"""
import os
import random


def declared(inputs, outputs):
    return "".join("(declare-const X_%d Real)\n" % i for i in range(inputs)) + "".join(
        "(declare-const Y_%d Real)\n" % j for j in range(outputs))


def boxed(inputs, lo, hi):
    return "".join("(assert (>= X_%d %s))\n(assert (<= X_%d %s))\n" % (i, lo, i, hi) for i in range(inputs))


# name: (inputs, outputs, lo, hi, formula); a formula may bound the inputs itself where lo is None
PROPERTIES = {
    "worked": (1, 1, "0", "1", "(assert (>= Y_0 2.5))"),
    "worked_tight": (1, 1, "0", "1", "(assert (> Y_0 1.0000001))"),
    "worked_violated": (1, 1, "0", "1", "(assert (>= Y_0 0.5))"),
    "worked_strict": (1, 1, None, None, "(assert (and (> X_0 0) (< X_0 0.5) (> Y_0 0.0001)))"),
    "worked_vacuous": (1, 1, "0", "1", "(assert (or (and (<= Y_0 1) (>= Y_0 2)) (< 1 0)))"),
    "worked_boxes": (1, 1, None, None, "(assert (or (and (>= X_0 0) (<= X_0 0.25) (>= Y_0 0.5)) (and (>= X_0 0.75) "
                                       "(<= X_0 1) (<= Y_0 0.25)) (and (>= X_0 0) (<= X_0 0.25) (>= Y_0 1e-1))))"),
    "worked_tie": (1, 1, "0", "1", "(assert (> Y_0 1))\n(assert (>= Y_0 1))"),
    "worked_open": (1, 1, None, None, "(assert (and (> X_0 0) (< X_0 1) (>= Y_0 0.5)))"),
    "worked_huge": (1, 1, "0", "1e39", "(assert (>= Y_0 1e40))"),
    "large": (1, 1, "0", "1", "(assert (>= Y_0 1e39))"),
    "large_violated": (1, 1, "0", "4", "(assert (>= Y_0 1))"),
    "worked_equal": (1, 1, "0.5", "1", "(assert (= Y_0 3))"),
}
# network, inputs, outputs, lo, hi, and values of Y_0 that are far off, just out of reach, and reached
VALUES = [
    ("dense", 2, 2, "0", "1", "5", "0.95", "0.5"), ("deep", 3, 3, "0", "1", "9", "0.76", "0.6"),
    ("single", 2, 1, "0", "1", "5", "0.16", "0.05"), ("wide", 70, 2, "0", "1", "60", "15", "6"),
    ("double", 2, 2, "0", "1", "5", "0.94", "0.9"), ("leaky", 2, 2, "0", "1", "9", "2.7", "2.5"),
    ("folded", 2, 2, "0", "1", "3", "-0.6", "-1"), ("elementwise", 3, 2, "0", "1", "5", "1.2", "1.0"),
    ("image", 16, 2, "0.4", "0.6", "8", "-0.2", "-0.5"), ("colours", 18, 3, "0", "1", "20", "1.8", "1.0"),
    ("colours_last", 8, 2, "0", "1", "5", "1.2", "1.0"), ("signal", 6, 2, "0", "1", "9", "3.6", "3"),
    ("moving", 6, 2, "0", "1", "9", "1.75", "1.3"), ("matrices", 10, 2, "0", "1", "9", "0.35", "0.2"),
    ("constants", 2, 4, "0", "1", "5", "1.62", "1.5"), ("factors", 4, 2, "0", "1", "5", "-0.278", "-0.28"),
    ("open_shape", 3, 1, "-1", "1", "9", "3.1", "2.5"),
]
QUESTIONS = []


def vnnlib(prop, network, claim="holds", semantics="", *more, name=None):
    options = ["--property", "properties/%s.vnnlib" % prop]
    QUESTIONS.append((name or prop, network, options, claim, semantics, list(more)))


def radius(name, network, options, claim="holds", semantics="", *more):
    QUESTIONS.append((name, network, options, claim, semantics, list(more)))


def build():
    vnnlib("worked", "worked")
    vnnlib("worked", "worked", "holds", "real", name="worked_real")
    vnnlib("worked_tight", "worked", "holds", "real")
    vnnlib("worked_violated", "worked", "violated")
    vnnlib("worked_violated", "worked", "violated", "real", name="worked_violated_real")
    vnnlib("worked_strict", "worked")
    vnnlib("worked_vacuous", "worked")
    vnnlib("worked_boxes", "worked")
    vnnlib("worked_equal", "worked")
    vnnlib("worked_tie", "worked", "holds", "real")
    vnnlib("worked_open", "worked", "violated")
    vnnlib("worked_huge", "worked", "holds", "real")
    vnnlib("large", "large", "holds", "real")
    vnnlib("large_violated", "large", "violated")
    for network, inputs, outputs, lo, hi, high, splitting, below in VALUES:
        n = network
        shape = ["--input-shape", "x=1,3"] if n == "open_shape" else []
        for kind, value in (("easy", high), ("tight", splitting), ("violated", below)):
            if value is None:
                continue
            prop = "%s_%s" % (n, kind)
            formula = "(assert (>= Y_0 %s))" % value
            if kind == "tight" and outputs > 1:
                formula = ("(assert (or (>= Y_0 %s) (and (>= Y_0 %s) (<= Y_1 100) (>= (+ Y_0 Y_1) 500))))"
                           % (value, value))
            PROPERTIES[prop] = (inputs, outputs, lo, hi, formula)
            claim = "violated" if kind == "violated" else "holds"
            QUESTIONS.append((prop, n, ["--property", "properties/%s.vnnlib" % prop] + shape, claim, "", []))
            if kind == "tight":
                QUESTIONS.append((prop + "_real", n, ["--property", "properties/%s.vnnlib" % prop] + shape, claim,
                                  "real", []))
    centre = ["--input", "centres/three.csv"]
    radius("deep_label", "deep", ["--radius", "0.02"] + centre + ["--label", "1"])
    radius("deep_label_executed", "deep", ["--radius", "1e-2"] + centre)
    radius("deep_label_real", "deep", ["--radius", "0.02"] + centre, "holds", "real")
    radius("deep_label_violated", "deep", ["--radius", "4"] + centre, "violated")
    radius("deep_range", "deep", ["--radius", "0.25", "--output-range", "-9,9.5"])
    radius("deep_deviation", "deep", ["--radius", "0.0625"] + centre + ["--max-deviation", "1.5"])
    radius("deep_clip_scale", "deep", ["--radius", "0.01"] + centre + ["--scale", "2", "--clip", "0,1", "--mean", "0.5",
                                                                      "--std", "0.25", "--output-range", "-30,30"])
    radius("colours_nchw", "colours", ["--radius", "0.01", "--input", "centres/eighteen.json", "--scale", "255",
                                       "--mean", "0.25,0.5", "--std", "0.5,0.2", "--layout", "nchw",
                                       "--output-range", "-50,50"])
    radius("colours_nhwc", "colours_last", ["--radius", "0.01", "--mean", "0.25,0.5", "--std", "0.5,0.25", "--layout",
                                            "nhwc", "--clip", "0,1", "--output-range", "-50,50"])
    radius("single_bound", "single", ["--radius", "0.5"], "bound")
    radius("single_bound_real", "single", ["--radius", "0.5"], "bound", "real")
    radius("narrow_bound_real", "narrow", ["--radius", "0.5"], "bound", "real")
    radius("single_bound_centre", "single", ["--radius", "0.125", "--input", "centres/two.csv", "--clip", "0,1"],
           "bound")
    radius("open_bound", "open_shape", ["--radius", "1", "--input-shape", "x=1,3"], "bound")
    radius("double_label", "double", ["--radius", "0.015625", "--input", "centres/two.csv"])


def write_properties(folder):
    for name, (inputs, outputs, lo, hi, formula) in sorted(PROPERTIES.items()):
        body = declared(inputs, outputs) + (boxed(inputs, lo, hi) if lo is not None else "") + formula + "\n"
        with open(os.path.join(folder, "properties", name + ".vnnlib"), "w", newline="\n") as out:
            out.write(body)


def write_centres(folder):
    rng = random.Random(9)
    texts = {"two.csv": "0.5,0.25\n", "three.csv": "0.6,0.3,0.9\n",
             "eighteen.json": "[%s]\n" % ",".join("%d" % rng.randrange(256) for _ in range(18))}
    for name, text in texts.items():
        with open(os.path.join(folder, "centres", name), "w", newline="\n") as out:
            out.write(text)

// The program `check`: options in, verdict lines and exit code out. Cannot turn a verdict to VALID.
#pragma once
namespace outward_check {
int run(int argc, char** argv);
}

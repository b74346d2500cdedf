// The program `check`: see report.hpp.
#include "checker/report/report.hpp"

#include <fstream>
#include <iostream>
#include <new>

#include "checker/report/identity.hpp"
#include "checker/report/question.hpp"
#include "checker/report/self_test.hpp"
#include "checker/report/text_form.hpp"
#include "checker/report/witness.hpp"

namespace outward_check {

namespace {

// What is printed about one file.
struct Line {
  std::string file, word, detail;
  int code = 4;
  std::vector<std::string> claims, reasons, notes, bounds;
  std::uint64_t records = 0, exact_decisions = 0;
};

std::string shown(const Fraction& d) { return d.dyadic_text() + " (about " + std::to_string(d.double_up()) + ")"; }

Line certificate_line(const std::string& file, const Options& options) {
  Line line;
  line.file = file;
  AskedQuestion question(options);
  if (options.semantics.ends_with("_sequential"))
    throw UsageError{"--semantics " + options.semantics + " is for counterexample files"};
  const Answer a = check_certificate(file, &question);
  static constexpr struct {
    const char* word;
    int code;
  } words[] = {{"VALID", 0}, {"VALID(VACUOUS)", 2}, {"VALID_BUT_NOT_ASKED", 2}, {"INVALID", 1}, {"INCOMPLETE", 2}};
  line.word = words[static_cast<int>(a.word)].word, line.code = words[static_cast<int>(a.word)].code;
  line.reasons = a.reasons, line.notes = a.notes;
  line.records = a.records, line.exact_decisions = a.exact_decisions;
  line.claims.push_back(semantics_names[static_cast<int>(a.semantics)]);
  if (a.semantics != Semantics::real && a.claim != Claim::violated) line.claims.push_back("real");
  line.detail = claim_names[static_cast<int>(a.claim)];
  for (const Bound& b : a.bounds) {
    line.bounds.push_back("Y_" + std::to_string(b.output) + (b.is_lower ? " >= " : " <= ") + shown(b.value));
  }
  if (!question.model_path().empty()) line.notes.push_back("model " + question.model_path());
  return line;
}

Line witness_line(const std::string& file, std::string_view text, const Options& options) {
  Line line;
  line.file = file, line.detail = "violated";
  const std::string& s = options.semantics;
  if (s == "fp32_any" || s == "fp64_any")
    throw UsageError{"a counterexample file has --semantics real, fp32_sequential, fp64_sequential or best"};
  if (options.model.empty() || (options.property.empty() && options.radius.radius.empty())) {
    throw UsageError{"a counterexample file needs --model and --property or --radius"};
  }
  AskedQuestion question(options);
  const Graph& graph = question.read_model_file(options.model).graph;
  const std::string fault = graph_fault(graph);
  if (!fault.empty()) throw ReadError(ReadError::Class::unsupported, "model: " + fault);
  const Property* property = question.asked(graph);
  const WitnessText witness = parse_witness(text, graph.nodes[0].size, graph.nodes[graph.output].size);
  const Structure structure(graph);
  const Execution sequential = graph.is_binary64 ? Execution::fp64_sequential : Execution::fp32_sequential;
  const char* sequential_name = graph.is_binary64 ? "fp64_sequential" : "fp32_sequential";
  if (s.ends_with("_sequential") && s != sequential_name)
    throw UsageError{"--semantics " + s + ": the model's is " + sequential_name};
  std::vector<Execution> kinds;
  if (s != "real") kinds.push_back(sequential);
  if (s == "real" || s == "best") kinds.push_back(Execution::real);
  line.word = "INVALID", line.code = 1;
  for (Execution kind : kinds) {
    const char* name = kind == Execution::real ? "real" : sequential_name;
    const Witness w = check_witness(structure, *property, 0, property->cases.size(), witness.inputs, kind);
    for (const std::string& note : w.notes) line.notes.push_back(std::string(name) + ": " + note);
    for (std::size_t j = 0; j < w.outputs.size(); ++j) {
      if (!witness.outputs[j]) continue;
      const double computed = roughly(w.outputs[j].h), claimed = witness.outputs[j]->double_up();
      const double gap = computed > claimed ? computed - claimed : claimed - computed;
      if (gap > 1e-6 * (1 + (claimed < 0 ? -claimed : claimed))) {
        line.notes.push_back(std::string(name) + ": the file claims Y_" + std::to_string(j) + " = " +
                             std::to_string(claimed) + ", computed is " + std::to_string(computed));
      }
    }
    if (w.proved) {
      line.word = "VALID", line.code = 0, line.claims.push_back(name);
      line.reasons.clear();
    } else if (line.claims.empty()) {
      line.reasons.push_back(std::string(name) + ": " +
                             (property->cases.empty() ? "no input is unsafe, the property is empty" : w.reason));
    }
  }
  if (line.code == 0 && options.expected && *options.expected != Claim::violated) {
    line.word = "VALID_BUT_NOT_ASKED", line.code = 2;
    line.reasons.push_back(std::string("the file shows a violation, asked was ") +
                           claim_names[static_cast<int>(*options.expected)]);
  }
  return line;
}

Line failure(const std::string& file, const char* word, int code, const std::string& reason) {
  Line line;
  line.file = file, line.word = word, line.code = code, line.reasons = {reason};
  return line;
}

Line check_file(const std::string& file, const Options& options) {
  try {
    std::string start(64, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (is_certificate(start)) return certificate_line(file, options);
    const Bytes bytes = read_maybe_gzip(file);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (looks_like_witness(text)) return witness_line(file, text, options);
    return failure(file, "UNSUPPORTED", 4,
                   "neither an Outward certificate (its first record must be a header) nor a counterexample file; "
                   "certificates of other tools are not read by this version");
  } catch (const ReadError& e) {
    if (e.kind == ReadError::Class::limit) return failure(file, "RESOURCE_LIMIT", 5, e.what());
    return failure(file, e.kind == ReadError::Class::unsupported ? "UNSUPPORTED" : "MALFORMED", 4, e.what());
  } catch (const std::bad_alloc&) {
    return failure(file, "RESOURCE_LIMIT", 5, "out of memory, or a limit on the proof's open scopes");
  }
}

std::string json_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + json_string(item);
  return "[" + out + "]";
}

void print_json(const Line& l) {
  std::cout << "{\"certificate\":" << json_string(l.file) << ",\"verdict\":" << json_string(l.word)
            << ",\"exit\":" << l.code << ",\"claim\":" << json_string(l.detail)
            << ",\"semantics\":" << json_list(l.claims) << ",\"records\":" << l.records
            << ",\"exact_decisions\":" << l.exact_decisions << ",\"bounds\":" << json_list(l.bounds)
            << ",\"reasons\":" << json_list(l.reasons) << ",\"notes\":" << json_list(l.notes) << "}\n";
}

void print_line(const Line& l, const Options& options) {
  std::cout << l.word << ' ' << l.file;
  if (!l.detail.empty()) {
    std::cout << ": " << l.detail;
    for (std::size_t i = 0; i < l.claims.size(); ++i) std::cout << (i == 0 ? " under " : " and ") << l.claims[i];
  }
  std::cout << '\n';
  for (const std::string& b : l.bounds) std::cout << "  " << b << '\n';
  std::cout.flush();
  if (options.quiet) return;
  for (const std::string& r : l.reasons) std::cerr << l.file << ": " << r << '\n';
  if (!options.explain) return;
  for (const std::string& n : l.notes) std::cerr << l.file << ": note: " << n << '\n';
  std::cerr
      << l.file << ": " << l.records << " records, " << l.exact_decisions << " decided by exact arithmetic\n"
      << "trusted: this program, its compiler and CPU, ONNX semantics as certificates/FORMAT.md section 2 states them\n"
      << "float claims do not cover flush to zero, Winograd or FFT convolution, TF32, x87 and approximate division\n";
}

int severity(int code) { return code == 2 ? 1 : code == 1 ? 2 : code; }

}  // namespace

int run(int argc, char** argv) {
  reset_float_environment();
  try {
    const std::string fault = self_test_fault();
    if (!fault.empty()) {
      std::cerr << "check: self-test of the arithmetic: " << fault << '\n';
      return 5;
    }
    const Options options = parse_options(std::vector<std::string>(argv + 1, argv + argc));
    if (options.help) {
      std::cout << usage_text;
      return 0;
    }
    if (options.print) return print_certificate(options.files[0], std::cout), std::cout.flush() ? 0 : 5;
    if (options.parse) {
      std::ifstream in(options.files[0], std::ios::binary);
      if (!in) throw ReadError(ReadError::Class::io, options.files[0] + ": cannot be opened");
      return parse_certificate(in, std::cout), std::cout.flush() ? 0 : 5;
    }
    int worst = 0;
    for (const std::string& file : options.files) {
      const Line line = check_file(file, options);
      if (options.json) {
        print_json(line);
      } else {
        print_line(line, options);
      }
      if (severity(line.code) > severity(worst)) worst = line.code;
    }
    return std::cout.flush() ? worst : 5;
  } catch (const UsageError& e) {
    std::cerr << "check: " << e.text << "\ntry check --help\n";
    return 3;
  } catch (const ReadError& e) {
    std::cerr << "check: " << e.what() << '\n';
    return e.kind == ReadError::Class::limit ? 5 : 4;
  } catch (const FooterFault& e) {
    std::cerr << "check: " << e.text << '\n';
    return 4;
  } catch (const std::exception& e) {
    std::cerr << "check: internal: " << e.what() << '\n';
    return 5;
  }
}

}  // namespace outward_check

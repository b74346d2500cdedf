// The program `check`: see report.hpp.
#include "checker/report/report.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>

#include "checker/report/ci.hpp"
#include "checker/report/line.hpp"
#include "checker/report/self_test.hpp"
#include "checker/report/text_form.hpp"

namespace outward_check {

namespace {

void list_limits(std::ostream& out) {
  for (const LimitRow& row : limit_rows()) {
    out << row.name << '=' << row.value << (*row.unit ? " " : "") << row.unit << " (";
    out << (row.value < row.most ? "at most " + std::to_string(row.most) : "as high as it goes");
    out << "): " << row.protects << '\n';
  }
}

// What only the system can count: address space and processor time. As they are unless they were lowered.
void limit_process() {
  const std::pair<Limit, decltype(RLIMIT_AS)> kinds[] = {{Limit::memory_bytes, RLIMIT_AS},
                                                         {Limit::cpu_seconds, RLIMIT_CPU}};
  for (const auto& [id, kind] : kinds) {
    rlimit now{};
    if (limit(id) == limit_rows()[static_cast<std::size_t>(id)].most || getrlimit(kind, &now) != 0) continue;
    now.rlim_cur = std::min<rlim_t>(limit(id), now.rlim_max);
    if (setrlimit(kind, &now) != 0) throw UsageError{"--limit: the system does not let it be set"};
  }
  std::signal(SIGXCPU, [](int) {
    constexpr std::string_view text = "check: RESOURCE_LIMIT: more processor time than --limit cpu-seconds=N allows\n";
    (void)!write(STDERR_FILENO, text.data(), text.size());
    _exit(5);
  });
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
    if (options.list_limits) return list_limits(std::cout), std::cout.flush() ? 0 : 5;
    limit_process();
    if (options.print) return print_certificate(options.files[0], std::cout), std::cout.flush() ? 0 : 5;
    if (options.parse) {
      std::ifstream in(options.files[0], std::ios::binary);
      if (!in) throw ReadError(ReadError::Class::io, options.files[0] + ": cannot be opened");
      return parse_certificate(in, std::cout), std::cout.flush() ? 0 : 5;
    }
    int worst = 0;
    std::vector<Line> lines;
    const bool at_once = options.sarif || options.junit || options.statement;
    for (const std::string& file : options.files) {
      Line line = judge_file(file, options);
      if (severity(line.code) > severity(worst)) worst = line.code;
      if (options.json) print_json(line, std::cout);
      if (!options.json && !at_once) print_text(line, options, std::cout, std::cerr);
      if (options.statement && line.code != 0) print_text(line, options, std::cerr, std::cerr);
      if (at_once) lines.push_back(std::move(line));
    }
    if (options.sarif) print_sarif(lines, std::cout);
    if (options.junit) print_junit(lines, std::cout);
    if (options.statement && worst == 0) print_statement(lines, options.asked, std::cout);
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

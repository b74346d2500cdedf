#include "cli/verify_instances.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/common/json_line.hpp"
#include "cli/verify_options.hpp"
#include "formats/error.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string whole_file(const std::string& path, const std::string& expected) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputRefused({"file", path, "is a folder", expected, "", ""});
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputRefused({"file", path, "cannot be opened", expected, "", ""});
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw InputRefused({"file", path, "cannot be read", expected, "", ""});
  return text;
}

// Whether a result says which files of external data the model has.
bool has_external(const Json& result) {
  const Json::json_pointer at("/model/external");
  if (!result.is_object() || !result.contains(at) || !result[at].is_array()) return false;
  for (const Json& file : result[at])
    for (const char* key : {"path", "sha256"})
      if (!file.is_object() || !file.contains(key) || !file[key].is_string()) return false;
  return true;
}

bool is_result(const Json& r) {
  if (!r.is_object()) return false;
  for (const char* key : {"model", "property", "verdict"})
    if (!r.contains(key) || !r[key].is_string()) return false;
  const Json asked = r.value("asked", Json());
  if (!asked.is_object() || !asked.contains("semantics") || !asked.contains("input_shape")) return false;
  if (r.contains("result") && !has_external(r["result"])) return false;
  return r.contains("reason") && r["reason"].is_string() && r.contains("seconds") && r["seconds"].is_number();
}

// Whether a run that was killed may have left this behind.
bool is_cut_off(const std::string& line) {
  const std::string opening = "{\"model\":\"";
  return line.rfind(opening, 0) == 0 || opening.rfind(line, 0) == 0;
}

}  // namespace

std::vector<Instance> read_instances(const std::string& path) {
  std::istringstream in(whole_file(path, "a CSV file of instances"));
  std::vector<Instance> out;
  std::vector<Blocker> faults;
  std::string line;
  bool first = true;
  for (int number = 1; std::getline(in, line); ++number) {
    if (trimmed(line).empty()) continue;
    std::vector<std::string> fields;
    std::stringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(trimmed(field));
    while (fields.size() > 2 && fields.back().empty()) fields.pop_back();
    const bool heading = first && fields.size() == 3 && !is_seconds(fields[2]) &&
                         fields[2].find_first_of("0123456789") == std::string::npos;
    first = false;
    if (heading) continue;
    if (fields.size() < 2 || fields.size() > 3 || fields[0].empty() || fields[1].empty()) {
      faults.push_back(
          {"csv", path + ":" + std::to_string(number), "no instance", "model,property[,seconds]", line, ""});
    } else if (fields.size() == 3 && !is_seconds(fields[2])) {
      faults.push_back(
          {"csv", path + ":" + std::to_string(number), "no instance", "a number of seconds", fields[2], ""});
    } else {
      out.push_back({fields[0], fields[1], fields.size() == 3 ? fields[2] : ""});
    }
  }
  if (!faults.empty()) throw InputRefused(std::move(faults));
  if (out.empty()) throw InputRefused({"csv", path, "no instance", "lines model,property[,seconds]", "", ""});
  return out;
}

std::string result_key(const std::string& model, const std::string& property) {
  return json_line(Json{model, property});
}

void EarlierResults::remove(const std::vector<std::size_t>& numbers) {
  for (std::size_t i = numbers.size(); i-- > 0;) all.erase(all.begin() + static_cast<std::ptrdiff_t>(numbers[i]));
  of.clear();
  for (std::size_t i = 0; i < all.size(); ++i) of[result_key(all[i]["model"], all[i]["property"])].push_back(i);
}

EarlierResults read_results(const std::string& path) {
  EarlierResults results;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return results;
  const std::string text = whole_file(path, "results of an earlier run"), expected = "results of --batch";
  std::size_t number = 0;
  for (std::size_t from = 0, to = 0; from < text.size(); from = to) {
    ++number;
    const std::size_t end = text.find('\n', from);
    const bool ended = end != std::string::npos;
    to = ended ? end + 1 : text.size();
    const std::string line = text.substr(from, (ended ? end : to) - from);
    Json r = Json::parse(line, nullptr, false);
    if (is_result(r)) {
      results.of[result_key(r["model"], r["property"])].push_back(results.all.size());
      results.all.push_back(std::move(r));
      results.unended = !ended;
    } else if (!ended && is_cut_off(line)) {
      std::filesystem::resize_file(path, from);
    } else {
      throw InputRefused({"results", path + ":" + std::to_string(number), "this line is no result", expected, "",
                          "give another file with --results, or remove the line"});
    }
  }
  return results;
}

}  // namespace outward::cli

#include "poll/delta.h"

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace procscope {

namespace {

/// A time that is not known is NaN, and that does not change.
template <typename Number>
bool equal(Number a, Number b) {
  if constexpr (std::is_floating_point_v<Number>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

/// The numbers that make a field.
template <auto... Members>
struct Numbers {
  static bool same(const ProcessRow& a, const ProcessRow& b) {
    return (equal(a.*Members, b.*Members) && ...);
  }
  static void copy(const ProcessRow& from, ProcessRow& to) { ((to.*Members = from.*Members), ...); }
};

struct NumberField {
  Field field;
  bool (*same)(const ProcessRow&, const ProcessRow&);
  void (*copy)(const ProcessRow&, ProcessRow&);
};

template <auto... Members>
constexpr NumberField numbers(Field field) {
  return {field, &Numbers<Members...>::same, &Numbers<Members...>::copy};
}

constexpr std::array kNumbers = {
    numbers<&ProcessRow::ppid>(Field::kPpid),
    numbers<&ProcessRow::pgid>(Field::kPgid),
    numbers<&ProcessRow::sid>(Field::kSid),
    numbers<&ProcessRow::tty_device>(Field::kTty),
    numbers<&ProcessRow::tpgid>(Field::kTpgid),
    numbers<&ProcessRow::state>(Field::kState),
    numbers<&ProcessRow::start_key, &ProcessRow::start_time>(Field::kStart),
    numbers<&ProcessRow::threads>(Field::kThreads),
    numbers<&ProcessRow::priority>(Field::kPriority),
    numbers<&ProcessRow::nice>(Field::kNice),
    numbers<&ProcessRow::user_cpu, &ProcessRow::system_cpu>(Field::kCpu),
    numbers<&ProcessRow::rss>(Field::kRss),
    numbers<&ProcessRow::vsize>(Field::kVsize),
    numbers<&ProcessRow::uid>(Field::kUid),
    numbers<&ProcessRow::euid>(Field::kEuid),
    numbers<&ProcessRow::gid>(Field::kGid),
    numbers<&ProcessRow::egid>(Field::kEgid),
    numbers<&ProcessRow::exe_dev, &ProcessRow::exe_ino>(Field::kExeFile),
    numbers<&ProcessRow::pid_namespace>(Field::kPidNamespace),
};

struct TextField {
  Field field;
  TextRef ProcessRow::*member;
};

constexpr std::array kTexts = {
    TextField{Field::kName, &ProcessRow::name}, TextField{Field::kTty, &ProcessRow::tty},
    TextField{Field::kUser, &ProcessRow::user}, TextField{Field::kArgv, &ProcessRow::argv},
    TextField{Field::kExe, &ProcessRow::exe},   TextField{Field::kCwd, &ProcessRow::cwd},
    TextField{Field::kRoot, &ProcessRow::root}, TextField{Field::kCgroup, &ProcessRow::cgroup},
    TextField{Field::kEnv, &ProcessRow::env},   TextField{Field::kNspid, &ProcessRow::nspid},
};

/// The flags that belong to a field.
struct FlagField {
  Field field;
  uint8_t flags;
};

constexpr std::array kFlags = {
    FlagField{Field::kKernelThread, kFlagKernelThread},
    FlagField{Field::kExe, kFlagExeDeleted | kFlagExeDeletedUnknown},
    FlagField{Field::kCwd, kFlagCwdDeleted | kFlagCwdDeletedUnknown},
};

/// Faults that tell that a look did not come to an end, and nothing about what it was for.
bool is_unfinished(FaultKind kind) {
  return kind == FaultKind::kTimeout || kind == FaultKind::kLimit || kind == FaultKind::kIo ||
         kind == FaultKind::kInternal;
}

void copy_numbers(const ProcessRow& from, FieldMask fields, ProcessRow& to) {
  for (const NumberField& each : kNumbers) {
    if ((fields & bit(each.field)) != 0) {
      each.copy(from, to);
    }
  }
  for (const FlagField& each : kFlags) {
    if ((fields & bit(each.field)) != 0) {
      to.flags = static_cast<uint8_t>((to.flags & ~each.flags) | (from.flags & each.flags));
    }
  }
  to.present = (to.present & ~fields) | (from.present & fields);
}

/// Replaces those of `fields` that are texts; the blob is made anew, so that none grows for ever.
void copy_texts(const RowDraft& from, FieldMask fields, RowDraft& to) {
  std::string blob;
  for (const TextField& each : kTexts) {
    const RowDraft& source = (fields & bit(each.field)) != 0 ? from : to;
    const std::string_view text = source.text(source.row.*each.member);
    const TextRef ref{static_cast<uint32_t>(blob.size()), static_cast<uint32_t>(text.size())};
    blob += text;
    to.row.*each.member = ref;
  }
  to.blob = std::move(blob);
}

}  // namespace

FieldMask differences(const RowDraft& before, const RowDraft& now, FieldMask fields) {
  FieldMask differing = (before.row.present ^ now.row.present) & fields;
  const FieldMask both = before.row.present & now.row.present & fields;
  for (const NumberField& each : kNumbers) {
    if ((both & bit(each.field)) != 0 && !each.same(before.row, now.row)) {
      differing |= bit(each.field);
    }
  }
  for (const TextField& each : kTexts) {
    if ((both & bit(each.field)) != 0 &&
        before.text(before.row.*each.member) != now.text(now.row.*each.member)) {
      differing |= bit(each.field);
    }
  }
  for (const FlagField& each : kFlags) {
    if ((both & bit(each.field)) != 0 &&
        (before.row.flags & each.flags) != (now.row.flags & each.flags)) {
      differing |= bit(each.field);
    }
  }
  return differing;
}

bool is_stopped(const ProcessRow& row) { return row.state == 'T' || row.state == 't'; }

bool is_dead(const ProcessRow& row) {
  constexpr FieldMask kNeeded = mask_of(Field::kState, Field::kThreads);
  return (row.present & kNeeded) == kNeeded &&
         ((row.state == 'Z' && row.threads <= 1) || row.state == 'X');
}

bool is_another(const ProcessRow& before, const ProcessRow& now) {
  return (before.present & now.present & bit(Field::kStart)) != 0 &&
         before.start_key != now.start_key;
}

FieldMask unfinished_fields(const RowDraft& look) {
  FieldMask fields = 0;
  for (const RowDraft::FieldFault& fault : look.faults) {
    fields |= is_unfinished(fault.kind) ? bit(fault.field) : 0;
  }
  return fields & ~look.row.present;
}

FieldMask take_over(RowDraft& row, const RowDraft& later, FieldMask fields) {
  const FieldMask kept = unfinished_fields(later) & row.row.present;
  const FieldMask taken = differences(row, later, fields & ~kept);
  if ((taken & kTextFields) != 0) {
    copy_texts(later, taken, row);
  }
  copy_numbers(later.row, taken, row.row);
  std::erase_if(row.faults, [fields](const RowDraft::FieldFault& fault) {
    return (fields & bit(fault.field)) != 0;
  });
  for (const RowDraft::FieldFault& fault : later.faults) {
    if ((fields & bit(fault.field)) != 0) {
      row.faults.push_back(fault);
    }
  }
  return taken;
}

}  // namespace procscope

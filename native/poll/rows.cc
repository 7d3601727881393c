#include "poll/rows.h"

#include <array>

namespace procscope {

namespace {

/// Offsets into a table's blob are 32 bits wide, and a buffer of JS has its own bounds: rows that
/// would lead past this are cut, and say so.
constexpr size_t kMostBlobBytes = size_t{1} << 30;

constexpr std::array kTexts = {&ProcessRow::name, &ProcessRow::tty,    &ProcessRow::user,
                               &ProcessRow::argv, &ProcessRow::exe,    &ProcessRow::cwd,
                               &ProcessRow::root, &ProcessRow::cgroup, &ProcessRow::env,
                               &ProcessRow::nspid};

void append(ProcessTable& table, const RowDraft& draft) {
  const auto index = static_cast<uint32_t>(table.rows.size());
  const auto base = static_cast<uint32_t>(table.blob.size());
  table.rows.push_back(draft.row);
  table.blob += draft.blob;
  for (const auto text : kTexts) {
    (table.rows.back().*text).offset += base;
  }
  for (const RowDraft::FieldFault& fault : draft.faults) {
    table.row_faults.push_back(
        {index, static_cast<uint8_t>(fault.field), fault.kind, fault.call, fault.code});
  }
}

}  // namespace

void append_row(ProcessTable& table, const RowDraft& draft) {
  if (table.blob.size() + draft.blob.size() <= kMostBlobBytes) {
    append(table, draft);
    return;
  }
  RowDraft unread;
  unread.start(draft.row.pid);
  FieldMask fields = draft.row.present;
  for (const RowDraft::FieldFault& fault : draft.faults) {
    fields |= bit(fault.field);
  }
  unread.fail(fields, FaultKind::kLimit, Call::kRead, 0);
  append(table, unread);
}

std::vector<RowDraft> drafts_of(const ProcessTable& table) {
  std::vector<RowDraft> drafts(table.rows.size());
  for (size_t i = 0; i < drafts.size(); ++i) {
    RowDraft& draft = drafts[i];
    draft.row = table.rows[i];
    for (const auto text : kTexts) {
      const std::string_view bytes = table.text(draft.row.*text);
      draft.row.*
          text = {static_cast<uint32_t>(draft.blob.size()), static_cast<uint32_t>(bytes.size())};
      draft.blob += bytes;
    }
  }
  for (const RowFault& fault : table.row_faults) {
    drafts[fault.row].faults.push_back(
        {static_cast<Field>(fault.field), fault.kind, fault.call, fault.code});
  }
  return drafts;
}

RowDraft without_texts(const RowDraft& draft) {
  RowDraft bare;
  bare.row = draft.row;
  bare.faults = draft.faults;
  for (const auto text : kTexts) {
    bare.row.*text = {};
  }
  return bare;
}

}  // namespace procscope

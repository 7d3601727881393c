#pragma once

#include <vector>

#include "model/process.h"
#include "platform/reader.h"

/// Rows on their way into a table and out of it.
namespace procscope {

/// Appends a row. Where its text would lead past what a table can hold, it is a row of `limit`
/// faults.
void append_row(ProcessTable& table, const RowDraft& draft);

/// The rows of a table, each with text and faults of its own.
std::vector<RowDraft> drafts_of(const ProcessTable& table);

/// The numbers of a row without its texts: the fields are there, and their text is empty.
RowDraft without_texts(const RowDraft& draft);

}  // namespace procscope

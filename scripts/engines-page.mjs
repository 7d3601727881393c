// The page docs/engines.md as text: what the rules say of each engine, and which golden cases prove it.

const CASES_IN_A_CELL = 3;

/** Whatever stands in a cell of a table: one line, and no bar that ends the cell. */
const cell = (text) => text.replaceAll('\n', ' ').replaceAll('|', '\\|');
const code = (text) => `\`${text}\``;

/** Columns of even width, as the formatter of the checkout lays them out. */
function table(head, rows) {
  const cells = [head, ...rows].map((line) => line.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((line) => line[column].length)));
  const row = (line) => `| ${line.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  return [row(cells[0]), row(widths.map((width) => '-'.repeat(width))), ...cells.slice(1).map(row)];
}

function sourceText({ how, what, version, date }) {
  return `${how} ${date}${version === null ? '' : `, version ${version}`}: ${what}`;
}

function casesText(cases) {
  const names = [...new Set(cases.map(({ group }) => group))];
  const more = names.length - CASES_IN_A_CELL;
  const shown = names.slice(0, CASES_IN_A_CELL).map(code).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The cases that prove what a column promises. */
const COLUMNS = {
  find: (cases, engine) => cases.filter(({ expect }) => expect.engine === engine && expect.row),
  skip: (cases) => cases.filter(({ expect }) => !expect.row),
  link: (cases) => cases.filter(({ expect }) => typeof expect.session === 'string'),
  state: (cases) => cases.filter(({ expect }) => (expect.state ?? 'unknown') !== 'unknown'),
};
const GAPS = { link: 'linkGap', state: 'stateGap' };

function cellOf(column, rule, cases) {
  const proving = COLUMNS[column](cases, rule.engine);
  if (proving.length > 0) return casesText(proving);
  return `not known: ${rule[GAPS[column]] ?? 'no case'}`;
}

function homeText({ variable, below, folder, notKnown }) {
  if (notKnown !== undefined) return `not known: ${notKnown}`;
  const usual = code(['~', ...folder].join('/'));
  return variable === 'HOME' ? usual : `${code([`$${variable}`, ...(below ?? [])].join('/'))}, else ${usual}`;
}

function argvIdText({ flags, commands, pattern, forks }) {
  const ways = [...flags, ...commands.map((words) => words.join(' '))].map(code).join(', ');
  const parents = [...forks.flags, ...forks.commands].map(code).join(', ');
  const fork = parents === '' ? '' : `; with ${parents} it is the parent's`;
  return `${ways} with ${code(String(pattern))}${fork}`;
}

const heldText = ({ place, path, proof, what }) =>
  `${what}: ${proof === 'flock' ? 'locked' : 'open'} below ${code('home' in place ? place.home : `/tmp/${place.tmp}<uid>`)}, ${code(String(path))}`;

const nameText = ({ name, nativeOnly, entryOnly, shared }) =>
  [
    code(String(name)),
    ...(nativeOnly ? ['a native program'] : []),
    ...(entryOnly ? ['an entry script'] : []),
    ...(shared ? ['others use it too: low confidence by itself'] : []),
  ].join(', ');

const STORE_PROOFS = {
  pid: 'the session of the process that it names and that it is no older than',
  folder: 'the only one of its folder since the process started, which alone works there',
  start: 'the only one that began with the process',
  id: 'where the session of the arguments lies',
  sign: 'is never opened',
};

const storeText = ({ what, place, proof, says }) =>
  `${what} ${code(place)}: ${says === undefined ? '' : `${says}; `}${STORE_PROOFS[proof]}`;

function statements(rule) {
  return [
    ...rule.names.map((each) => ['name', nameText(each), each.source]),
    ...rule.layouts.map((each) => [
      each.kind === undefined ? each.of : `${each.of}, ${each.kind}`,
      code(each.path.text),
      each.source,
    ]),
    ...rule.kinds.map((each) => [each.kind, each.why, each.source]),
    ['home', homeText(rule.home), rule.home.source],
    ...(rule.pidRecord
      ? [
          [
            'record',
            code(`${rule.pidRecord.folder}/${rule.pidRecord.fileName('<pid>')}`),
            rule.pidRecord.source,
          ],
        ]
      : []),
    ...rule.turns.map((each) => ['turns', each.file, each.source]),
    ...rule.held.files.map((each) => ['held file', heldText(each), each.source]),
    ...rule.stores.map((each) => ['stored file', storeText(each), each.source]),
    ['id in the arguments', argvIdText(rule.argvId), rule.argvId.source],
    ...rule.bypass.map((each) => [
      'asks nothing',
      code(each.value === undefined ? each.flag : `${each.flag} ${each.value}`),
      each.source,
    ]),
  ];
}

/** Lists without a source of their own: texts of the product and variables. */
function lists(rule) {
  const texts = (patterns) => patterns.map(({ text }) => code(text)).join(', ');
  const found = [
    ['Needs proof', rule.namesWithProof.map(code).join(', ')],
    ['Never', texts(rule.excluded)],
    ['Packages in npm, whose manifest tells the version', rule.packages.map(code).join(', ')],
    ['Version in the path', texts(rule.versions)],
    ['Address of the model', rule.baseUrls.map(code).join(', ')],
  ];
  return found.filter(([, text]) => text !== '').map(([title, text]) => `- ${title}: ${text}`);
}

function section(rule) {
  return [
    `## ${rule.engine}`,
    '',
    ...table(
      ['what', 'rule', 'source'],
      statements(rule).map(([what, text, source]) => [what, text, sourceText(source)]),
    ),
    '',
    ...lists(rule),
    `- Session not known where: ${rule.linkGap}; ${rule.held.gap}`,
    `- State not known where: ${rule.stateGap}`,
    '',
  ];
}

/** `engines`: the rules. `golden`: the cases of each engine, by engine. */
export function enginesPage(engines, golden) {
  const columns = Object.keys(COLUMNS);
  return [
    '# Engines',
    '',
    'Made from the rules and their golden cases by `npm run docs:engines`: change those, not this page.',
    '',
    'Each cell names cases of `test/unit/engines/golden` that pass, or says why nothing is known.',
    '',
    ...table(
      ['engine', ...columns],
      engines.map((rule) => [
        rule.engine,
        ...columns.map((column) => cellOf(column, rule, golden.get(rule.engine) ?? [])),
      ]),
    ),
    '',
    'The first of the rules of a kind that fits decides; none fits: `tui`. Places and names are compared without regard to case.',
    'An `image` is the running program, an `entry` the script of an interpreter, a `module` what `-m` names.',
    '',
    ...engines.flatMap(section),
  ].join('\n');
}

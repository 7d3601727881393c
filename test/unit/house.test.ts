import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import * as ts from 'typescript';
import { describe, expect, it } from 'vitest';

const top = join(__dirname, '..', '..');

/** Files below a folder of the checkout, as paths from its top with `/`. */
function filesBelow(folder: string, pattern: RegExp): string[] {
  if (!existsSync(join(top, folder))) return [];
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(top.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

const text = (file: string): string => readFileSync(join(top, file), 'utf8');

/** Fails with every breach and the reason of the rule, so that nobody has to look the rule up. */
function expectNone(breaches: readonly string[], reason: string): void {
  expect(breaches, `${reason}\n  ${breaches.join('\n  ')}\n`).toEqual([]);
}

const nativeFiles = filesBelow('native', /\.(h|cc)$/);
const libFiles = filesBelow('lib', /\.ts$/);

interface Include {
  readonly file: string;
  readonly name: string;
  readonly system: boolean;
}

const includes: readonly Include[] = nativeFiles.flatMap((file) =>
  [...text(file).matchAll(/^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/gm)].map((found) => ({
    file,
    name: found[2] as string,
    system: found[1] === '<',
  })),
);

describe('native/ keeps its floors', () => {
  const floors = ['base', 'model', 'parse', 'platform', 'poll', 'napi'];
  const floorOf = (path: string): string => path.split('/')[0] ?? '';

  it('has no source outside a floor', () => {
    const lost = nativeFiles.filter((file) => !floors.includes(floorOf(file.slice('native/'.length))));
    expectNone(lost, `Every room stands on one of the floors ${floors.join(' < ')}.`);
  });

  it('includes downward only', () => {
    const breaches = includes
      .filter((include) => !include.system)
      .filter(
        ({ file, name }) =>
          floors.indexOf(floorOf(name)) > floors.indexOf(floorOf(file.slice('native/'.length))),
      )
      .map(({ file, name }) => `${file} includes ${name}`);
    expectNone(
      breaches,
      `A floor knows only the floors below it (${floors.join(' < ')}): parsers stay free of system calls, and all but napi can be built, fuzzed and sanitized without Node.`,
    );
  });

  it('names its own headers from native/', () => {
    const breaches = includes
      .filter(({ name, system }) => !system && !existsSync(join(top, 'native', name)))
      .map(({ file, name }) => `${file} includes "${name}"`);
    expectNone(breaches, 'Own headers are included as "floor/name.h": the floor can be read off the line.');
  });

  it('reaches a platform through its contract', () => {
    const inPlatform = /^native\/platform\/([^/]+)\//;
    const breaches = includes
      .filter(({ name, system }) => !system && /^platform\/[^/]+\//.test(name))
      .filter(({ file, name }) => {
        if (/^native\/platform\/[^/]+$/.test(file)) return false;
        return inPlatform.exec(file)?.[1] !== name.split('/')[1];
      })
      .map(({ file, name }) => `${file} includes ${name}`);
    expectNone(
      breaches,
      'Only native/platform/*.cc may choose a platform; everybody else uses the contract in native/platform/*.h, or the other systems stop building.',
    );
  });

  it('includes Node-API on the napi floor only', () => {
    const node = /^(napi|node_api|node_api_types|js_native_api|js_native_api_types|node|v8|uv)\.h$/;
    const breaches = includes
      .filter(({ file, name }) => node.test(name) && !file.startsWith('native/napi/'))
      .map(({ file, name }) => `${file} includes ${name}`);
    expectNone(breaches, 'Everything below native/napi is tested, sanitized and fuzzed without Node.');
  });

  it('includes headers of the operating system in platform/<os> only', () => {
    // Closing a descriptor is the one call that the owner of a descriptor cannot leave to others.
    const allowed = new Map([['native/base/owned.h', ['unistd.h']]]);
    // Standard C++ headers carry no suffix and no folder; whatever else stands in <> is the system's.
    const breaches = includes
      .filter(({ name, system }) => system && /[./]/.test(name))
      .filter(({ file }) => !/^native\/platform\/(linux|darwin|windows)\//.test(file))
      .filter(({ file, name }) => !(file.startsWith('native/napi/') && name === 'napi.h'))
      .filter(({ file, name }) => !allowed.get(file)?.includes(name))
      .map(({ file, name }) => `${file} includes <${name}>`);
    expectNone(
      breaches,
      'A header of one system outside native/platform/<os> ends the build on the others. For the C library take <cerrno>, <cstring> and their like.',
    );
  });

  it('fuzzes every parser', () => {
    const parsers = nativeFiles.map((file) => /^native\/parse\/(.+)\.cc$/.exec(file)?.[1]);
    const missing = parsers.filter(
      (name) => name !== undefined && !existsSync(join(top, 'fuzz', `${name}_fuzz.cc`)),
    );
    expectNone(
      missing.map((name) => `fuzz/${name}_fuzz.cc is missing`),
      'Parsers read what strangers wrote. Each has a fuzz target of its name that checks what it promises.',
    );
  });

  it('lists every source once, in the group of its folder', () => {
    const groups: Record<string, string[]> = JSON.parse(text('native/sources.json'));
    const groupOf = (file: string): string => {
      if (file.startsWith('napi/')) return 'napi';
      return /^platform\/(linux|darwin|windows)\//.exec(file)?.[1] ?? 'common';
    };
    const expected: Record<string, string[]> = { common: [], linux: [], darwin: [], windows: [], napi: [] };
    for (const file of nativeFiles.filter((name) => name.endsWith('.cc'))) {
      const inside = file.slice('native/'.length);
      expected[groupOf(inside)]?.push(inside);
    }
    const sorted = Object.fromEntries(
      Object.entries(groups).map(([group, files]) => [group, [...files].sort()]),
    );
    expect(
      sorted,
      'binding.gyp and CMakeLists.txt build what native/sources.json lists, and nothing else.',
    ).toEqual(expected);
  });
});

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean): void => {
    if (node !== undefined && ts.isStringLiteralLike(node))
      found.push({ file, specifier: node.text, typeOnly });
  };
  const typeClause = (clause: ts.ImportClause | undefined): boolean => {
    if (clause === undefined) return false;
    if (clause.isTypeOnly) return true;
    const names = clause.namedBindings;
    return (
      clause.name === undefined &&
      names !== undefined &&
      ts.isNamedImports(names) &&
      names.elements.every((element) => element.isTypeOnly)
    );
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, typeClause(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isExternalModuleReference(node)) add(node.expression, false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    else if (ts.isCallExpression(node)) {
      const dynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const required = ts.isIdentifier(node.expression) && node.expression.text === 'require';
      if (dynamic || required) add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text(file), ts.ScriptTarget.ES2022, true));
  return found;
}

describe('lib/ keeps its floors', () => {
  const floors: Readonly<Record<string, number>> = {
    native: 5,
    process: 6,
    engines: 6,
    tmux: 7,
    agents: 8,
    compat: 8,
    panes: 9,
    'index.ts': 10,
    cli: 10,
  };
  const roomOf = (file: string): string => file.split('/')[1] ?? '';
  const imports = libFiles.flatMap(importsOf);
  const inside = imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((found) => ({
      ...found,
      from: roomOf(found.file),
      target: posix.join(dirname(found.file).replaceAll('\\', '/'), found.specifier).replace(/\.js$/, '.ts'),
    }))
    .map((found) => ({ ...found, to: roomOf(found.target) }));

  it('has no source outside a floor', () => {
    const lost = libFiles.filter((file) => floors[roomOf(file)] === undefined);
    expectNone(lost, `Every file stands in one of lib/{${Object.keys(floors).join(',')}}.`);
  });

  it('imports files that are there, with their suffix', () => {
    const breaches = inside
      .filter(({ target }) => !libFiles.includes(target))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    expectNone(
      breaches,
      'Relative imports end in .js and stay in lib/: what tsc compiles is what Node loads.',
    );
  });

  it('imports downward only', () => {
    const breaches = inside
      .filter(({ from, to }) => from !== to)
      .filter(({ from, to, typeOnly }) => {
        // Rules are pure, but the values that they judge are rows of the process floor.
        if (from === 'engines' && to === 'process') return !typeOnly;
        // The face and its client share a floor; that the CLI has no other door is the next rule.
        if (from === 'cli' && to === 'index.ts') return false;
        return (floors[to] ?? 0) >= (floors[from] ?? 0);
      })
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    expectNone(
      breaches,
      'native < process = engines < tmux < agents = compat < panes < index, cli. Rooms of one floor do not know each other (engines may import types of process). Move the shared part down.',
    );
  });

  it('gives the CLI no private door', () => {
    const breaches = inside
      .filter(({ from, to }) => from === 'cli' && to !== 'cli' && to !== 'index.ts')
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    expectNone(breaches, 'The CLI is a client of lib/index.ts: what it can do, every program can do.');
  });

  it('keeps the rules pure', () => {
    const allowed = ['node:path'];
    const breaches = imports
      .filter(({ file, specifier }) => roomOf(file) === 'engines' && !specifier.startsWith('.'))
      .filter(({ specifier }) => !allowed.includes(specifier))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    expectNone(breaches, 'A rule takes values and gives a verdict, so that each verdict can be replayed.');
  });

  it('starts no subprocess', () => {
    // The fallback for servers that cannot be asked over their socket, and nothing else of lib/tmux.
    const allowed: readonly string[] = ['lib/tmux/binary.ts'];
    const breaches = imports
      .filter(({ specifier }) => /^(node:)?(child_process|cluster)$/.test(specifier))
      .filter(({ file }) => !allowed.includes(file))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    const byName = libFiles.filter(
      (file) => !allowed.includes(file) && /process\.binding|getBuiltinModule/.test(text(file)),
    );
    expectNone(
      [...breaches, ...byName],
      'Reading a machine without starting a subprocess is what procscope is for.',
    );
  });
});

describe('the checkout', () => {
  it('has files that can be read in one sitting', () => {
    const wished = 400;
    const most = 500;
    /** Files between the two bounds, each with the reason why a cut would read worse. */
    const long: Readonly<Record<string, string>> = {};
    const pattern = /\.(ts|mts|js|mjs|h|c|cc)$/;
    const folders = ['native', 'lib', 'test', 'fuzz', 'bench', 'scripts'];
    const breaches = folders
      .flatMap((folder) => filesBelow(folder, pattern))
      .filter((file) => !file.startsWith('test/fixtures/'))
      .map((file) => ({ file, lines: text(file).trimEnd().split('\n').length }))
      .filter(({ file, lines }) => lines > (long[file] === undefined ? wished : most))
      .map(({ file, lines }) => `${file} has ${lines} lines`);
    expectNone(
      breaches,
      `Past ${wished} lines a room is missing. A file may be listed here with its reason, up to ${most} lines.`,
    );
  });

  it('has a lock file that names no registry', () => {
    const resolved = [...text('package-lock.json').matchAll(/"resolved": "([^"]+)"/g)];
    expectNone(
      resolved.map((found) => found[1] as string),
      'Installs take packages from the registry of whoever installs (.npmrc: omit-lockfile-registry-resolved).',
    );
  });

  it('tracks no binaries', (context) => {
    const listed = spawnSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], {
      cwd: top,
      encoding: 'utf8',
    });
    const tracked = (listed.stdout ?? '')
      .split('\0')
      .filter((file) => file !== '' && existsSync(join(top, file)));
    context.skip(
      listed.status !== 0 || tracked.length === 0,
      'not a git checkout, or no git: nothing is tracked',
    );

    const magic = [
      [0x7f, 0x45, 0x4c, 0x46], // ELF
      [0x4d, 0x5a, 0x90, 0x00], // PE
      [0xcf, 0xfa, 0xed, 0xfe], // Mach-O
      [0xca, 0xfe, 0xba, 0xbe], // Mach-O with several architectures
      [0x21, 0x3c, 0x61, 0x72], // static library
    ];
    const breaches = tracked.filter((file) => {
      if (/\.(node|o|obj|a|so|dylib|dll|exe|lib|tgz)$/.test(file)) return true;
      const start = readFileSync(join(top, file)).subarray(0, 8192);
      if (magic.some((bytes) => bytes.every((byte, index) => start[index] === byte))) return true;
      // Captured kernel buffers are binary by nature.
      return !/^(test\/fixtures|fuzz\/seeds)\//.test(file) && start.includes(0);
    });
    expectNone(
      breaches,
      'Binaries are built by CI and shipped in the package; the repository holds sources.',
    );
  });
});

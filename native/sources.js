// Prints the sources of the named groups of sources.json, one path a line from the top of the
// package: binding.gyp has no globs and must not repeat the list that CMakeLists.txt reads too.
'use strict';
const groups = require('./sources.json');

for (const name of process.argv.slice(2)) {
  if (!Object.hasOwn(groups, name)) throw new Error(`sources.json has no group ${name}`);
  for (const file of groups[name]) console.log(`native/${file}`);
}

/**
 * Checks the layers of src/ with dependency-cruiser (.dependency-cruiser.cjs).
 *
 * dependency-cruiser reads TypeScript through the compiler's old API, which TypeScript 7 does not have. So this script
 * parses the modules itself, and gives dependency-cruiser a copy of the tree in which each file consists only of its
 * imports. Type imports count like the others.
 */
import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { parseSync } from 'vite';

import { distDir, rootDir } from './paths.mjs';
import { runTool } from './tools.mjs';

const copyDir = join(distDir, '.layers');

await rm(copyDir, { recursive: true, force: true });
for (const file of globSync('src/**/*.*', { cwd: rootDir, exclude: ['src/setup/**', 'src/client/package.json'] }))
  await copyImports(file);
// Says which packages are for development only.
await copyFile(join(rootDir, 'package.json'), join(copyDir, 'package.json'));

const config = join(rootDir, '.dependency-cruiser.cjs');
const { exitCode, output } = await runTool('depcruise', ['--config', config, 'src'], { cwd: copyDir });
process.stdout.write(output);
process.exitCode = exitCode;

async function copyImports(file) {
  const isModule = /\.[cm]?tsx?$/.test(file);
  const target = join(copyDir, file.replace(/\.tsx?$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, isModule ? importsOf(file, await readFile(join(rootDir, file), 'utf8')) : '');
}

function importsOf(file, source) {
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);

  const lines = module.staticImports.map(({ moduleRequest }) => importLine(moduleRequest));
  for (const { entries } of module.staticExports) {
    const again = entries.find((entry) => entry.moduleRequest);
    if (again) lines.push(importLine(again.moduleRequest));
  }
  for (const { moduleRequest } of module.dynamicImports) {
    lines.push(`import(${source.slice(moduleRequest.start, moduleRequest.end)});`);
  }
  return `${lines.join('\n')}\n`;
}

function importLine(moduleRequest) {
  return `import ${JSON.stringify(moduleRequest.value)};`;
}

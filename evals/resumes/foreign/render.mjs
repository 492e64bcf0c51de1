// Render resumes with a theme: node render.mjs THEME FOLDER IN.json OUT.html [IN.json OUT.html …]
// Themes come in every shape their ten years allow: a function, a promise, a default export.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [theme, folder, ...files] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/package.json`));
process.chdir(folder);

// Newer ones can only be imported, from where their package says.
function findModule() {
  const home = `${folder}/node_modules/${theme}`;
  const { exports, module } = JSON.parse(readFileSync(`${home}/package.json`, "utf-8"));
  const entry = exports?.["."] ?? exports;
  const named = entry?.import?.default ?? entry?.import ?? entry?.default ?? module;
  return typeof named === "string" ? `${home}/${named}` : require.resolve(theme);
}

async function load() {
  try {
    return require(theme);
  } catch (error) {
    return await import(pathToFileURL(findModule()).href);
  }
}

const loaded = await load();
const render = loaded.render ?? loaded.default?.render ?? loaded.default;
for (let index = 0; index < files.length; index += 2) {
  const resume = JSON.parse(readFileSync(files[index], "utf-8"));
  writeFileSync(files[index + 1], await render(resume));
}
process.exit(0);

// Builds licences.wasm from app.js. The contract is copied beside the world, where componentize-js looks for packages.

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

await mkdir("build/wit/deps/lustra", { recursive: true });
await copyFile("../../wit/connector.wit", "build/wit/deps/lustra/connector.wit");
await copyFile("world.wit", "build/wit/world.wit");

// The manifest becomes a module, because a running component has no files.
const manifest = await readFile("manifest.json", "utf8");
await writeFile("build/manifest.js", `export const MANIFEST = ${JSON.stringify(manifest)};\n`);
await copyFile("app.js", "build/app.js");

const { component } = await componentize({
  sourcePath: "build/app.js",
  witPath: "build/wit",
  worldName: "licences",
  // The contract's http is the only permitted network access.
  disableFeatures: ["http", "fetch-event"],
});
await writeFile("licences.wasm", component);

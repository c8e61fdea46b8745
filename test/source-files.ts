import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SourceFile } from "./floors.js";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Every production file of every package. */
export function productionFiles(): SourceFile[] {
  return readdirSync(packages).flatMap((name) =>
    filesBelow(`${name}/src`)
      .filter((path) => path.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(path))
      .map((path) => ({ path, text: readFileSync(packages + path, "utf8") })),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(packages + folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
}

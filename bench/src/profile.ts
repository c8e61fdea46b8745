import { Work } from "./script.js";
import { tunic } from "./tunic.js";

const t = tunic();
const kind = (process.argv[2] ?? "loop") as "loop";
const size = Number(process.argv[3] ?? 20);
for (let i = 0; i < 60000; i++) {
  const w = new Work(kind, size);
  w.check(await t.run(w));
}

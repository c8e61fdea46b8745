import { build } from "esbuild";
import { gzipSync } from "node:zlib";
const r=await build({stdin:{contents:`import { Agent, tool } from "../packages/core/src/index.ts";
export const run = (client) => new Agent({ client, tools: [tool({ name: "add", description: "add", parameters: { type: "object", properties: { a: { type: "number" } } }, execute: ({ a }) => a + 1 })] }).run("go");`,resolveDir:process.cwd()+"/bench",loader:"ts"},bundle:true,minify:true,format:"esm",platform:"browser",splitting:true,write:false,outdir:"out",metafile:true,logLevel:"silent",resolveExtensions:[".ts",".js"]});
const sizes={};
for(const [n,o] of Object.entries(r.metafile.outputs)){console.log(n,o.bytes,gzipSync(r.outputFiles.find(f=>f.path.endsWith(n.split("/").pop())).contents).length,o.imports.map(i=>i.kind[0]+":"+i.path).join(" ").slice(0,200));
 for(const [f,i] of Object.entries(o.inputs)) sizes[n+" "+f]=i.bytesInOutput}
console.log(Object.entries(sizes).sort((a,b)=>b[1]-a[1]).slice(0,90).map(([k,v])=>v+" "+k).join("\n"));

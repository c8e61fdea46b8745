import type { SchemaCompiler } from "./schema-violation.js";

/** Loads ajv, which not every program needs, and gives the compiler that is built on it. */
export async function loadAjvCompiler(): Promise<SchemaCompiler> {
  const [{ ajvCompiler }, { Ajv }, { Ajv2019 }, { Ajv2020 }] = await Promise.all([
    import("./check-arguments.js"),
    import("ajv"),
    import("ajv/dist/2019.js"),
    import("ajv/dist/2020.js"),
  ]);
  return ajvCompiler({ "draft-07": Ajv, "2019-09": Ajv2019, "2020-12": Ajv2020 });
}

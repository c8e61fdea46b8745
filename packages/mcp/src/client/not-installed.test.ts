import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isNotInstalled } from "./not-installed.js";

/** What Node says when a package is imported that is not there. */
function importError(name: string): Error {
  const program = `import("${name}").catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program]);
  const { message, code } = JSON.parse(said.toString());
  return Object.assign(new Error(message), { code });
}

describe("isNotInstalled", () => {
  it("tells a package that is not there from one that does not work", () => {
    const error = importError("@tunic/none");
    expect(isNotInstalled(error, "@tunic/none")).toBe(true);
    // It is there, and needs what is not.
    expect(isNotInstalled(error, "@tunic/other")).toBe(false);
    expect(isNotInstalled(new Error("Cannot find package '@tunic/none'"), "@tunic/none")).toBe(
      false,
    );
    expect(isNotInstalled("no error", "@tunic/none")).toBe(false);
  });
});

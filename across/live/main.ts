/**
 * Runs ten scenarios on the real services: `npm run test:live -- --provider anthropic`.
 *
 * --provider NAME   may be given several times; default: all
 * --model NAME      default: a small model of the provider
 * --base-url URL    another server that speaks the provider's protocol; needs no key
 */
import { parseArgs } from "node:util";
import { providers } from "./providers.js";
import { scenarios } from "./scenarios.js";

const usage = `npm run test:live -- [--provider NAME]… [--model NAME] [--base-url URL]
Providers: ${Object.keys(providers).join(", ")}. Default: all whose keys are set.`;
const values = readOptions();
const counts = { passed: 0, failed: 0, skipped: 0 };

for (const name of values.provider ?? Object.keys(providers)) {
  const provider = providers[name];
  if (provider === undefined) {
    console.error(
      `There is no provider "${name}"; there are: ${Object.keys(providers).join(", ")}.`,
    );
    process.exit(2);
  }
  const baseURL = values["base-url"];
  const { model = provider.defaultModel } = values;
  const reason =
    baseURL === undefined && !process.env[provider.key] ? `${provider.key} is not set` : undefined;
  console.log(`${name} (${model})`);
  for (const scenario of scenarios) {
    if (reason !== undefined) {
      counts.skipped++;
      console.log(`  skipped  ${scenario.name}: ${reason}`);
      continue;
    }
    const client = provider.create({ model, ...(baseURL !== undefined && { baseURL }) });
    try {
      await scenario.run(client);
      counts.passed++;
      console.log(`  passed   ${scenario.name}`);
    } catch (error) {
      counts.failed++;
      console.log(`  FAILED   ${scenario.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        provider: { type: "string", multiple: true },
        model: { type: "string" },
        "base-url": { type: "string" },
        help: { type: "boolean" },
      },
    });
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

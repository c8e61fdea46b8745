import type { FlowPolicy } from "@tunic/security";

/**
 * How data flows through the desk. Of a mail that has come in, its id is ours; everything else was written
 * by whoever sent it. Where a mail goes, and which mail gets which label, has to come from the user; the
 * text of a mail may hold anything. The skills of the desk are ours: to read one takes nothing away from
 * what the model may do.
 */
export const mailPolicy: FlowPolicy = {
  version: 1,
  tools: {
    load_skill: { effects: ["read"], result: "trusted" },
    read_skill_resource: { effects: ["read"], result: "trusted" },
    list_mails: {
      effects: ["read"],
      result: { $: "trusted", "mails[*].*": "untrusted", "mails[*].id": "trusted" },
    },
    search_mails: {
      effects: ["read"],
      result: { $: "trusted", "mails[*].*": "untrusted", "mails[*].id": "trusted" },
    },
    read_mail: {
      effects: ["read"],
      result: { $: "trusted", "*": "untrusted", id: "trusted" },
    },
    label_mails: { effects: ["consequential"], result: "trusted" },
    write_mail: {
      effects: ["consequential", "egress"],
      rule: "trusted_action",
      arguments: { to: { integrity: "trusted" }, subject: { integrity: "trusted" } },
      recipients: ["to"],
      result: "trusted",
    },
  },
};

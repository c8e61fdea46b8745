// scratch: prints the policy from the suites' traits
import { createEpisode, episodes } from '/work/shared/agentdojo/harness.mjs'
const tools = {}
const seen = new Set()
for (const d of episodes({ kind: 'benign' })) {
  if (seen.has(d.suite)) continue
  seen.add(d.suite)
  for (const t of createEpisode(d).tools) {
    const x = t.traits
    const effects = []
    if (x.readOnly) effects.push('read')
    if (x.consequential && !x.readOnly) effects.push('consequential')
    if (x.egress) effects.push('egress')
    const flow = { effects }
    if (x.consequential) { flow.rule = 'trusted_action'; flow.arguments = Object.fromEntries(x.sensitiveArgs.map((a) => [a, { integrity: 'trusted' }])) }
    const conf = x.privateSource ? 'private' : 'public'
    const lab = (integrity) => conf === 'public' ? integrity : { integrity, confidentiality: conf }
    const result = { $: lab('trusted') }
    for (const p of x.untrustedResultPaths) result[p] = lab('untrusted')
    flow.result = result
    if (tools[t.name] && JSON.stringify(tools[t.name]) !== JSON.stringify(flow)) console.error('differs', t.name, JSON.stringify(tools[t.name]), JSON.stringify(flow))
    tools[t.name] = flow
  }
}
const policy = { version: 1, tools, lists: { slack_users: ['Alice', 'Bob', 'Charlie', 'Eve'], slack_channels: ['general', 'random', 'private', 'External_0'] },
  endorse: [
    { type: 'selection', from: 'user', untrustedContext: true },
    { type: 'selection', from: 'slack_users', into: ['send_direct_message.recipient', 'add_user_to_channel.user'] },
    { type: 'selection', from: 'slack_channels', into: ['send_channel_message.channel', 'add_user_to_channel.channel'] },
  ] }
console.log(JSON.stringify(policy, null, 2))

// npm run compare. See README.md.
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { readDefinitions } from '@keelson/tooling-e2e/definitions'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { compareAudit } from './audit/compare-audit.ts'
import { compareDecisions } from './authorization/compare-decisions.ts'
import { compareRoleWrites } from './authorization/compare-role-writes.ts'
import { compare } from './compare.ts'
import { compareFlows } from './flows/compare-flows.ts'
import { compareDefinitions } from './definitions/compare-definitions.ts'
import { printDefinitions } from './definitions/print-differences.ts'
import { comparePolicies } from './policies/compare-policies.ts'
import { compareWebhooks } from './webhooks/compare-webhooks.ts'
import { help, parseOptions } from './options.ts'
import type { Options } from './options.ts'
import { openNamespace, refuseNodes } from './play/run-namespace.ts'
import { Server } from './play/server.ts'
import { readAccepted, findReason } from './report/accepted.ts'
import { printGroup } from './report/print-group.ts'
import { saveCases } from './report/save-cases.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') print(help)
  else process.exitCode = await run(options)
} catch (error) {
  process.stderr.write(`compare: ${(error as Error).message}\n`)
  process.exitCode = 2
}

async function run(options: Options): Promise<number> {
  const { server, token, seed, steps, only, show, save, smaller, withNodes } = options
  if (options.audit > 0) return await compareAuditEvents(options)
  using reference = new Server(server, token)
  if (!withNodes) await refuseNodes(reference)
  await using keelson = options.candidate === undefined ? await startKeelsonProcess({ controllers: 'none' }) : undefined
  using candidate = keelson === undefined ? new Server(options.candidate ?? '', token) : new Server(keelson.url, keelson.token)
  // The await is needed, because the server stops when this block ends.
  if (options.decisions > 0 || options.roleWrites > 0) return await compareAuthorization(reference, candidate, options)
  if (options.policies > 0) return await compareAdmissionPolicies(reference, candidate, options)
  if (options.webhooks > 0) return await compareAdmissionWebhooks(reference, candidate, options)
  if (options.flows > 0) return await compareFlowControl(reference, candidate, options)
  if (options.definitions > 0) return await compareRealDefinitions(reference, candidate, options)
  const scenarios = new Map<string, number>()
  const result = await compare(reference, candidate, {
    seed,
    steps,
    only,
    trials: smaller ? 80 : 0,
    played: ({ scenario }) => void scenarios.set(scenario, (scenarios.get(scenario) ?? 0) + 1),
  })
  const accepted = readAccepted()
  const open = result.groups.filter(({ name }) => findReason(name, accepted) === undefined)
  for (const group of open.slice(0, show))
    print(
      `${printGroup(group, group.smallestCase, (seed) => `npm run compare -- --server ${server} --token … --seed ${seed} --steps 1`)}\n`,
    )
  if (open.length > show) print(`… and ${open.length - show} more groups\n`)
  for (const { name, found } of result.groups) {
    const reason = findReason(name, accepted)
    if (reason !== undefined) print(`accepted: ${found.length} × ${name}: ${reason}`)
  }
  if (result.flaky.length > 0) print(`differed only the first time: ${result.flaky.join(' ')}`)
  if (save !== undefined) {
    saveCases(path.resolve(process.env['INIT_CWD'] ?? '', save), open)
    print(`${open.length} cases saved to ${save}`)
  }
  const differing = open.reduce((sum, { found }) => sum + found.length, 0)
  print([...scenarios].map(([name, cases]) => `${name} ${cases}`).join('  '))
  print(`compare: ${result.steps} steps in ${result.cases} cases from seed ${seed}; ${differing} differ, in ${open.length} groups`)
  return open.length === 0 ? 0 : 1
}

async function compareAuthorization(reference: Server, candidate: Server, { seed, decisions, roleWrites, show }: Options): Promise<number> {
  const prefix = `compare-${randomBytes(3).toString('hex')}`
  let differences = 0
  if (decisions > 0) {
    const result = await compareDecisions(reference, candidate, { seed, decisions, prefix })
    for (const { spec, want, got } of result.differences.slice(0, show))
      print(`${JSON.stringify(spec)}\n  kube-apiserver: ${JSON.stringify(want)}\n  keelson:        ${JSON.stringify(got)}`)
    print(`compare: ${decisions} decisions from seed ${seed}; ${result.allowed} allowed by both, ${result.differences.length} differ`)
    differences += result.differences.length
  }
  if (roleWrites > 0) {
    const result = await compareRoleWrites(reference, candidate, { seed, writes: roleWrites, prefix: `${prefix}w` })
    for (const { step, want, got } of result.differences.slice(0, show))
      print(`${JSON.stringify(step)}\n  kube-apiserver: ${want}\n  keelson:        ${got}`)
    print(
      `compare: ${roleWrites} writes of roles and bindings from seed ${seed}; ${result.refused} refused by both, ${result.differences.length} differ`,
    )
    differences += result.differences.length
  }
  return differences === 0 ? 0 : 1
}

async function compareAdmissionPolicies(reference: Server, candidate: Server, { seed, policies, show }: Options): Promise<number> {
  const prefix = `compare-${randomBytes(3).toString('hex')}`
  const { refused, differences } = await comparePolicies(reference, candidate, { seed, requests: policies, prefix })
  for (const { step, policy, want, got } of differences.slice(0, show))
    print(`${JSON.stringify(step)}\n${JSON.stringify(policy)}\n  kube-apiserver: ${want}\n  keelson:        ${got}`)
  print(`compare: ${policies} writes with random policies from seed ${seed}; ${refused} refused by both, ${differences.length} differ`)
  return differences.length === 0 ? 0 : 1
}

async function compareAdmissionWebhooks(reference: Server, candidate: Server, { seed, webhooks, show }: Options): Promise<number> {
  const prefix = `compare-${randomBytes(3).toString('hex')}`
  const { requests, refused, calls, differences } = await compareWebhooks(reference, candidate, { seed, requests: webhooks, prefix })
  const groups = Map.groupBy(differences, ({ where }) => where)
  for (const [where, found] of [...groups].slice(0, show)) {
    const { step, webhooks: set, want, got } = found[0]!
    print(`${found.length} × ${where}: ${JSON.stringify(step)}\n${JSON.stringify(set)}`)
    print(`  kube-apiserver: ${JSON.stringify(want)}\n  keelson:        ${JSON.stringify(got)}`)
  }
  print(
    `compare: ${requests} writes with random webhooks from seed ${seed}; ${calls} calls, ${refused} refused, ${differences.length} differ`,
  )
  return differences.length === 0 ? 0 : 1
}

async function compareFlowControl(reference: Server, candidate: Server, { seed, flows, show }: Options): Promise<number> {
  const prefix = `compare-${randomBytes(3).toString('hex')}`
  const { assigned, configurations, differences } = await compareFlows(reference, candidate, { seed, requests: flows, prefix })
  for (const { what, want, got } of differences.slice(0, show))
    print(`${JSON.stringify(what)}\n  kube-apiserver: ${JSON.stringify(want)}\n  keelson:        ${JSON.stringify(got)}`)
  print(
    `compare: ${flows} requests with ${configurations} random configurations from seed ${seed}; ${assigned.size} flow schemas were used, ${differences.length} differ`,
  )
  return differences.length === 0 ? 0 : 1
}

async function compareAuditEvents({ seed, audit, bin, show }: Options): Promise<number> {
  const program = path.resolve(process.env['INIT_CWD'] ?? '', bin, 'kube-apiserver')
  const { requests, events, differences } = await compareAudit({ program, seed, requests: audit })
  const groups = Map.groupBy(differences, ({ policy, where }) => `${policy}: ${where}`)
  for (const [name, [first, ...others]] of [...groups].slice(0, show)) {
    const { step, want, got } = first!
    print(`${name}: ${others.length + 1} requests, for example ${JSON.stringify(step)}`)
    print(`  kube-apiserver: ${JSON.stringify(want)}\n  keelson:        ${JSON.stringify(got)}`)
  }
  print(`compare: ${events} audit events of ${requests} requests from seed ${seed}; those of ${differences.length} requests differ`)
  return differences.length === 0 ? 0 : 1
}

async function compareRealDefinitions(reference: Server, candidate: Server, options: Options): Promise<number> {
  const { seed, definitions, objects, project, show } = options
  const matchingDefinitions = (await readDefinitions()).filter((one) => one.project.includes(project))
  const step = Math.max(1, matchingDefinitions.length / definitions)
  // Take every n-th definition, so that a small number still contains many projects.
  const picked = matchingDefinitions.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
  const namespace = `compare-${randomBytes(4).toString('hex')}`
  await using _referenceNamespace = await openNamespace(reference, namespace)
  await using _candidateNamespace = await openNamespace(candidate, namespace)
  const result = await compareDefinitions({ reference, candidate, namespace }, picked, { seed, objects, progress: print })
  print(`${printDefinitions(result, show)}\nseed ${seed}`)
  return result.differences.length === 0 ? 0 : 1
}

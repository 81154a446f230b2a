import { parseArgs } from 'node:util'

export const help = `npm run compare -- --server URL --token T [flags]
Sends random requests to a running kube-apiserver and to a new Keelson server, and prints the differences.

  --server URL     URL of a kube-apiserver without nodes, for example https://127.0.0.1:6443
  --token T        Bearer token of an administrator of that server
  --seed N         Seed of the first case. Default: random
  --steps N        Number of requests. Default: 2000
  --only A,B       Run only cases with these id prefixes, for example create,change/Pod
  --show N         Number of groups of differences to print. Default: 20
  --save FILE      Write one case of each group with kube-apiserver's responses, in the format of the golden files
  --no-smaller     Do not minimize cases
  --with-nodes     Accept a server with nodes. They may run the pods of this comparison
  --decisions N    Compare N authorization decisions on random roles, bindings, nodes and users instead
  --role-writes N  Compare N writes of roles and bindings by users with limited permissions instead
  --policies N     Compare N dry runs of writes to which random validating admission policies apply instead
  --webhooks N     Compare N writes to which random webhooks apply, and the requests that the webhooks get, instead
  --flows N        Compare the flow schemas and priority levels of N requests with random configurations instead
  --audit N        Compare the audit events of N requests instead. Starts kube-apiserver itself, so --bin replaces --server
  --bin DIR        Directory of kube-apiserver for --audit
  --definitions N  Compare N CustomResourceDefinitions of real projects and objects of them instead. Needs Go
  --objects N      Number of objects for each of --definitions. Default: 10
  --project TEXT   Only --definitions of projects whose Go module contains this text
  --candidate URL  Compare with a running server that accepts the same token instead of a new Keelson server
  --help           Print this help`

export interface Options {
  readonly server: string
  readonly token: string
  readonly seed: number
  readonly steps: number
  readonly only: readonly string[]
  readonly show: number
  readonly save: string | undefined
  readonly smaller: boolean
  readonly withNodes: boolean
  readonly decisions: number
  readonly roleWrites: number
  readonly policies: number
  readonly webhooks: number
  readonly flows: number
  readonly audit: number
  readonly bin: string
  readonly definitions: number
  readonly objects: number
  readonly project: string
  readonly candidate: string | undefined
}

/** Parses the command line of `npm run compare`. Throws an error with a message for the user if a flag is invalid. */
export function parseOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      server: { type: 'string' },
      token: { type: 'string', default: '' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
      steps: { type: 'string', default: '2000' },
      only: { type: 'string', default: '' },
      show: { type: 'string', default: '20' },
      save: { type: 'string' },
      'no-smaller': { type: 'boolean', default: false },
      'with-nodes': { type: 'boolean', default: false },
      decisions: { type: 'string', default: '0' },
      'role-writes': { type: 'string', default: '0' },
      policies: { type: 'string', default: '0' },
      webhooks: { type: 'string', default: '0' },
      flows: { type: 'string', default: '0' },
      audit: { type: 'string', default: '0' },
      bin: { type: 'string', default: '' },
      definitions: { type: 'string', default: '0' },
      objects: { type: 'string', default: '10' },
      project: { type: 'string', default: '' },
      candidate: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { server = '', token, only, save, project, candidate, bin } = values
  const audit = parseWholeNumber('audit', values.audit)
  if (audit > 0 && bin === '') throw new Error('--audit needs --bin, the directory of kube-apiserver')
  if (audit === 0 && !URL.canParse(server))
    throw new Error('--server must be the URL of a kube-apiserver, for example https://127.0.0.1:6443')
  return {
    server,
    token,
    seed: parseWholeNumber('seed', values.seed),
    steps: parseWholeNumber('steps', values.steps),
    only: only.split(',').filter(Boolean),
    show: parseWholeNumber('show', values.show),
    save,
    smaller: !values['no-smaller'],
    withNodes: values['with-nodes'],
    decisions: parseWholeNumber('decisions', values.decisions),
    roleWrites: parseWholeNumber('role-writes', values['role-writes']),
    policies: parseWholeNumber('policies', values.policies),
    webhooks: parseWholeNumber('webhooks', values.webhooks),
    flows: parseWholeNumber('flows', values.flows),
    audit,
    bin,
    definitions: parseWholeNumber('definitions', values.definitions),
    objects: parseWholeNumber('objects', values.objects),
    project,
    candidate,
  }
}

function parseWholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0 || text === '')
    throw new Error(`--${name} must be an integer of at least 0, not ${JSON.stringify(text)}`)
  return number
}

import { parseArgs } from 'node:util'

export const help = `npm run compare -- --server URL --token T [flags]
Sends random requests to a running kube-apiserver and to a fresh server of ours, and prints the differences.

  --server URL     of kube-apiserver, without nodes: https://127.0.0.1:6443
  --token T        of an administrator there
  --seed N         of the first case; without it another one each time
  --steps N        so many requests (2000)
  --only A,B       cases whose id begins so: create, change/Pod
  --show N         so many groups of differences (20)
  --save FILE      a case of each group, in the format of the golden files, with kube-apiserver's responses
  --no-smaller     leaves cases as they are
  --with-nodes     even though pods may be run
  --decisions N    compares N decisions on random roles, bindings, nodes and users instead
  --role-writes N  compares N writes of roles and bindings by users with limited permissions instead
  --help           this`

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
}

/** Throws with a message for the user. */
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
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { server, token, only, save } = values
  if (server === undefined || !URL.canParse(server)) throw new Error('--server takes the URL of a kube-apiserver: https://127.0.0.1:6443')
  return {
    server,
    token,
    seed: wholeNumber('seed', values.seed),
    steps: wholeNumber('steps', values.steps),
    only: only.split(',').filter(Boolean),
    show: wholeNumber('show', values.show),
    save,
    smaller: !values['no-smaller'],
    withNodes: values['with-nodes'],
    decisions: wholeNumber('decisions', values.decisions),
    roleWrites: wholeNumber('role-writes', values['role-writes']),
  }
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0 || text === '') throw new Error(`--${name} takes a whole number, not ${text}`)
  return number
}

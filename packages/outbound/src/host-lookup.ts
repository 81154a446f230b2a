import { lookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { waitUnlessAborted } from './connections.ts'
import { OutboundError } from './failure.ts'

/** Resolves a host name to all its addresses, in the order in which they are to be tried. Rejects with the reason of `signal` when it aborts. */
export type LookUpHost = (host: string, signal?: AbortSignal) => Promise<readonly LookupAddress[]>

/**
 * Maximum number of lookups that run at once. Each occupies one of the few threads that also read files and compress responses, for many seconds
 * if a DNS server does not answer.
 */
const maxRunning = 2
/** Maximum number of host names that are looked up or wait. */
const maxHosts = 1000

interface HostLookup {
  readonly addresses: Promise<readonly LookupAddress[]>
  start(): void
  isRunning: boolean
  waiters: number
}

/**
 * Creates a function that looks up host names. Callers that need the same name share a lookup. A lookup that all its callers have given up is not
 * started.
 */
export function createHostLookup(resolve: (host: string) => Promise<readonly LookupAddress[]> = resolveWithSystem): LookUpHost {
  const lookups = new Map<string, HostLookup>()
  let running = 0
  const startNext = (): void => {
    for (const each of lookups.values()) {
      if (running >= maxRunning) return
      if (!each.isRunning) each.start()
    }
  }
  const add = (host: string): HostLookup => {
    if (lookups.size >= maxHosts) throw new OutboundError('dial', `dial tcp: lookup ${host}: too many lookups are waiting`)
    const { promise, resolve: settle } = Promise.withResolvers<readonly LookupAddress[]>()
    promise.catch(() => {})
    const added: HostLookup = {
      addresses: promise,
      isRunning: false,
      waiters: 0,
      start() {
        added.isRunning = true
        running++
        const found = resolve(host).finally(() => {
          running--
          lookups.delete(host)
          startNext()
        })
        settle(found)
      },
    }
    lookups.set(host, added)
    startNext()
    return added
  }
  return async (host, signal) => {
    signal?.throwIfAborted()
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    const shared = lookups.get(host) ?? add(host)
    shared.waiters++
    try {
      return await (signal === undefined ? shared.addresses : waitUnlessAborted(shared.addresses, signal))
    } finally {
      shared.waiters--
      if (shared.waiters === 0 && !shared.isRunning) lookups.delete(host)
    }
  }
}

function resolveWithSystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })
}

/** Looks up host names for the whole process. */
export const lookUpHost: LookUpHost = createHostLookup()

/** Returns the lookup of a socket that is opened. It ends when `signal` aborts. */
export function createSocketLookup(signal: AbortSignal, lookUp: LookUpHost = lookUpHost): LookupFunction {
  return (host, { all, family }, done) => {
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family
    lookUp(host, signal).then(
      (found) => {
        const addresses = wanted === 4 || wanted === 6 ? found.filter((each) => each.family === wanted) : [...found]
        const [first] = addresses
        if (first === undefined) done(Object.assign(new Error(`no addresses of ${host}`), { code: 'ENOTFOUND' }), [])
        else if (all === true) done(null, addresses)
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    )
  }
}

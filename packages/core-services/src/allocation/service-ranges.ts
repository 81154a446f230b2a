import type { ServiceCIDR } from '@keelson/api/networking/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { IPRange } from './ip-range.ts'
import type { Family } from './ip-range.ts'
import type { CachedObjects } from './cached-objects.ts'

type ReadonlyCIDR = DeepReadonly<ServiceCIDR>

/** The ranges of all ServiceCIDR objects that are ready and not being deleted, oldest first. */
export class ServiceRanges {
  readonly #cidrs: CachedObjects<ServiceCIDR>
  readonly #parsed = new Map<string, IPRange | undefined>()

  constructor(cidrs: CachedObjects<ServiceCIDR>) {
    this.#cidrs = cidrs
  }

  async cached(family: Family): Promise<readonly IPRange[]> {
    await this.#cidrs.synced()
    return this.#ready([...this.#cidrs.values()], family)
  }

  /** Reads the ranges from the storage, because the cache may be stale. */
  async read(family: Family): Promise<readonly IPRange[]> {
    const { items } = await this.#cidrs.api.list({ resourceVersion: '' })
    return this.#ready(items, family)
  }

  #ready(cidrs: readonly ReadonlyCIDR[], family: Family): readonly IPRange[] {
    return cidrs
      .filter((cidr) => cidr.metadata.deletionTimestamp === undefined && isReady(cidr))
      .toSorted((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1))
      .flatMap(({ spec }) => (spec?.cidrs ?? []).flatMap((text) => this.#parse(text) ?? []))
      .filter((range) => range.family === family)
  }

  #parse(text: string): IPRange | undefined {
    if (!this.#parsed.has(text)) this.#parsed.set(text, parse(text))
    return this.#parsed.get(text)
  }
}

/** Parses a range. Returns undefined if it is too small or too large. */
function parse(text: string): IPRange | undefined {
  try {
    return new IPRange(text)
  } catch {
    return undefined
  }
}

function isReady({ status }: ReadonlyCIDR): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True')
}

function getSortKey({ metadata }: ReadonlyCIDR): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`
}

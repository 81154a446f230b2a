import type { ServiceCIDR } from '@keelson/api/networking/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { IPRange } from './ip-range.ts'
import type { Family } from './ip-range.ts'
import type { KnownObjects } from './known-objects.ts'

type ReadonlyCIDR = DeepReadonly<ServiceCIDR>

/** The ranges that ServiceCIDR objects give services: those that are ready and not about to go, the oldest first. */
export class ServiceRanges {
  readonly #cidrs: KnownObjects<ServiceCIDR>
  readonly #parsed = new Map<string, IPRange | undefined>()

  constructor(cidrs: KnownObjects<ServiceCIDR>) {
    this.#cidrs = cidrs
  }

  async known(family: Family): Promise<readonly IPRange[]> {
    await this.#cidrs.synced()
    return this.#ready([...this.#cidrs.values()], family)
  }

  /** As they are in the store, for when those known will not do. */
  async now(family: Family): Promise<readonly IPRange[]> {
    const { items } = await this.#cidrs.api.list({ resourceVersion: '' })
    return this.#ready(items, family)
  }

  #ready(cidrs: readonly ReadonlyCIDR[], family: Family): readonly IPRange[] {
    return cidrs
      .filter((cidr) => cidr.metadata.deletionTimestamp === undefined && isReady(cidr))
      .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
      .flatMap(({ spec }) => (spec?.cidrs ?? []).flatMap((text) => this.#parse(text) ?? []))
      .filter((range) => range.family === family)
  }

  #parse(text: string): IPRange | undefined {
    if (!this.#parsed.has(text)) this.#parsed.set(text, parse(text))
    return this.#parsed.get(text)
  }
}

/** Ranges that are too small, or too large, hold nothing for services. */
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

function ageOf({ metadata }: ReadonlyCIDR): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`
}

import type { LatencyLayer } from '@keelson/apimachinery'

/** Layers whose longest time counts, because their steps run at the same time. The times of other layers are added up. */
const parallelLayers: ReadonlySet<LatencyLayer> = new Set<LatencyLayer>(['validating-webhook', 'authorization', 'apf-queue-wait'])

/** Milliseconds that a request spent in layers of the server. */
export class LayerLatencies {
  readonly #layers = new Map<LatencyLayer, number>()

  add(layer: LatencyLayer, milliseconds: number): void {
    const earlier = this.#layers.get(layer) ?? 0
    this.#layers.set(layer, parallelLayers.has(layer) ? Math.max(earlier, milliseconds) : earlier + milliseconds)
  }

  /** Sum of all layers. */
  get total(): number {
    let total = 0
    for (const milliseconds of this.#layers.values()) total += milliseconds
    return total
  }

  [Symbol.iterator](): IterableIterator<[layer: LatencyLayer, milliseconds: number]> {
    return this.#layers.entries()
  }
}

import { namespace, sentAnnotation } from './kinds.ts'
import type { SoakKind } from './kinds.ts'
import type { JsonObject } from '@keelson/apimachinery'

/** A name under which the load creates and deletes objects. One request at a time changes the object of a slot. */
export interface Slot {
  readonly kind: SoakKind
  readonly name: string
  /** Resource version of the object. Undefined if there is none. */
  resourceVersion: string | undefined
  isBusy: boolean
}

/** The slots of all kinds. */
export class Slots {
  readonly all: readonly Slot[]
  readonly #random: () => number

  constructor(kinds: readonly SoakKind[], random: () => number) {
    this.#random = random
    this.all = kinds.flatMap((kind) =>
      Array.from({ length: kind.slots }, (_, n) => ({ kind, name: `${kind.resource}-${n}`, resourceVersion: undefined, isBusy: false })),
    )
  }

  /** Returns a random idle slot for which the condition holds, or undefined if there is none nearby. */
  pick(accept: (slot: Slot) => boolean): Slot | undefined {
    const first = Math.floor(this.#random() * this.all.length)
    for (let i = 0; i < this.all.length; i++) {
      const slot = this.all[(first + i) % this.all.length]!
      if (!slot.isBusy && accept(slot)) return slot
    }
    return undefined
  }
}

/** Returns an object of a slot, stamped with the present time. */
export function createObject({ kind, name }: Slot, n: number, fields: JsonObject = kind.createFields(n)): JsonObject {
  const { metadata = {}, ...body } = fields as { metadata?: JsonObject }
  return {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, namespace, labels: { batch: `b${n % 20}` }, annotations: stamp(), ...metadata },
    ...body,
  }
}

/** Returns the annotation with the present time. */
export function stamp(): JsonObject {
  return { [sentAnnotation]: performance.now().toFixed(2) }
}

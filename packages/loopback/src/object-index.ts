import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'

/** Objects by namespace and name. */
export class ObjectIndex<T extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, DeepReadonly<T>>>()

  get(namespace: string, name: string): DeepReadonly<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  list(namespace?: string): DeepReadonly<T>[] {
    if (namespace !== undefined) return Array.from(this.#namespaces.get(namespace)?.values() ?? [])
    const found: DeepReadonly<T>[] = []
    for (const objects of this.#namespaces.values()) for (const object of objects.values()) found.push(object)
    return found
  }

  /** Returns the previous object. */
  set(object: DeepReadonly<T>): DeepReadonly<T> | undefined {
    const { namespace, name } = keyOf(object)
    let objects = this.#namespaces.get(namespace)
    if (objects === undefined) this.#namespaces.set(namespace, (objects = new Map()))
    const old = objects.get(name)
    objects.set(name, object)
    return old
  }

  delete(object: DeepReadonly<T>): DeepReadonly<T> | undefined {
    const { namespace, name } = keyOf(object)
    const objects = this.#namespaces.get(namespace)
    const old = objects?.get(name)
    objects?.delete(name)
    if (objects?.size === 0) this.#namespaces.delete(namespace)
    return old
  }
}

function keyOf<T extends KubeObject>(object: DeepReadonly<T>): { namespace: string; name: string } {
  const { namespace = '', name = '' } = (object as DeepReadonly<KubeObject>).metadata
  return { namespace, name }
}

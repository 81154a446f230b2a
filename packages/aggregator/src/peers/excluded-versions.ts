import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient } from '@keelson/loopback'

export interface ExcludedVersionsOptions {
  readonly client: LoopbackClient
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  /** Called after the excluded versions have changed. */
  readonly onChange: () => void
}

/** How long a version stays excluded after its definition was deleted, in milliseconds. Peers may still list it meanwhile. */
const graceMs = 5 * 60_000

/** Objects that define group versions on every API server. */
interface Definitions {
  readonly group: string
  readonly resource: string
  /** Lists the group versions that an object defines, such as "example.com/v1". */
  readonly listVersions: (object: DeepReadonly<KubeObject>) => readonly string[]
}

interface CustomResourceDefinition extends KubeObject {
  readonly spec?: { readonly group?: string; readonly versions?: readonly { readonly name?: string }[] }
}

interface ApiService extends KubeObject {
  readonly spec?: { readonly group?: string; readonly version?: string; readonly service?: object | null }
}

const definitions: readonly Definitions[] = [
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    listVersions: ({ spec }: DeepReadonly<CustomResourceDefinition>) =>
      (spec?.versions ?? []).map(({ name = '' }) => `${spec?.group ?? ''}/${name}`),
  },
  {
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    listVersions: ({ spec }: DeepReadonly<ApiService>) => (spec?.service ? [`${spec.group ?? ''}/${spec.version ?? ''}`] : []),
  },
]

/**
 * The group versions of custom resources and of APIServices with a server. Requests for them are never forwarded to peers: all API servers read
 * the same definitions, and the discovery document of a peer may be older than a deletion.
 */
export class ExcludedVersions {
  readonly #options: ExcludedVersionsOptions
  /** Group versions by definition. */
  readonly #active = new Map<string, readonly string[]>()
  /** Functions that end the grace period of deleted group versions. */
  readonly #deleted = new Map<string, () => void>()

  constructor(options: ExcludedVersionsOptions) {
    this.#options = options
    options.signal.addEventListener('abort', () => {
      for (const cancel of this.#deleted.values()) cancel()
    })
  }

  has(groupVersion: string): boolean {
    if (this.#deleted.has(groupVersion)) return true
    for (const versions of this.#active.values()) if (versions.includes(groupVersion)) return true
    return false
  }

  /** Starts to follow the definitions. Resolves when all existing ones are known. */
  async start(): Promise<void> {
    await Promise.all(definitions.map((each) => this.#follow(each)))
  }

  #follow({ group, resource, listVersions }: Definitions): Promise<void> {
    const { client, clock, signal, onError } = this.#options
    const followed = client.resource({ group, resource })
    if (followed === undefined) return Promise.resolve()
    const createKey = ({ metadata }: DeepReadonly<KubeObject>): string => `${resource}/${metadata.name}`
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      const sink: Parameters<typeof followResource>[1] = {
        replace: (objects) => {
          const current = new Map(objects.map((stored) => [createKey(stored.object()), listVersions(stored.object())]))
          for (const key of this.#active.keys()) if (key.startsWith(`${resource}/`) && !current.has(key)) this.#set(key, [])
          for (const [key, versions] of current) this.#set(key, versions)
          resolve()
        },
        apply: ({ type, object: stored }) => {
          const object = stored.object()
          this.#set(createKey(object), type === 'DELETED' ? [] : listVersions(object))
        },
      }
      void followResource(followed, sink, { clock, signal, onError })
    })
  }

  #set(key: string, versions: readonly string[]): void {
    const before = this.#active.get(key) ?? []
    if (before.length === versions.length && before.every((version) => versions.includes(version))) return
    if (versions.length === 0) this.#active.delete(key)
    else this.#active.set(key, versions)
    const { clock, onChange } = this.#options
    for (const version of before) {
      if (versions.includes(version)) continue
      this.#deleted.get(version)?.()
      const cancel = clock.after(graceMs, () => {
        this.#deleted.delete(version)
        onChange()
      })
      this.#deleted.set(version, cancel)
    }
    onChange()
  }
}

import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'

/** A definition as the store delivered it. Its schemas are not decoded, so that thousands of definitions need little memory. */
export interface FollowedDefinition {
  /** The definition without the schemas of its versions, managed fields, and annotations other than the API approval. */
  readonly outline: DeepReadonly<CustomResourceDefinition>
  /** The complete definition. `stored.object()` decodes it. Callers do not keep the result, because decoded schemas are large. */
  readonly stored: StoredObject<CustomResourceDefinition>
}

/** Serves the custom resources of definitions. */
export interface CustomResources {
  /**
   * Serves a definition from the next request on. The controllers call it when the names of the definition have been accepted, and again
   * after each later change, also of its conditions: `Established` decides whether discovery lists the resource, and `Terminating` (or a
   * deletion timestamp) forbids creation. Never throws and never waits. A definition that was deleted and created again has another UID.
   */
  install(definition: FollowedDefinition): void
  /** Stops serving a definition after it was deleted. Has no effect if the definition is not installed. */
  remove(name: string): void
  /**
   * Returns the objects of an installed definition, read and deleted in the storage version, without admission, also if no version is
   * served. Returns undefined if the definition is not installed.
   */
  instances(name: string): Instances | undefined
}

/** All objects of one definition. */
export interface Instances {
  /** Namespaces that have objects. Contains "" for cluster-scoped objects. */
  namespaces(): Promise<ReadonlySet<string>>
  /** Starts the deletion of all objects of a namespace, or of all cluster-scoped objects for "". */
  deleteAll(namespace: string): Promise<void>
  /** Resolves when no object is left or `signal` aborts. */
  waitUntilEmpty(signal: AbortSignal): Promise<void>
}

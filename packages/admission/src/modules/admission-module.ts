import type { ApiError, DeepReadonly, UserInfo } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionOperation } from '../admission.ts'
import type { PluginPlace } from '../admission-plugins.ts'
import type { ResourceTypes } from './resource-types.ts'

/**
 * Admission rules in TypeScript or JavaScript: functions that change or check the objects of some resources. A function rejects a write by
 * throwing an API error, such as `write.forbidden('…')`. If it throws anything else, the client gets a 500 that names the module.
 *
 * @example
 * const teams: AdmissionModule = {
 *   name: 'Teams',
 *   after: 'PodSecurity',
 *   resources: {
 *     pods: {
 *       admit({ object }) {
 *         object.metadata.labels = { team: 'none', ...object.metadata.labels }
 *       },
 *       validate({ object, forbidden, warn }) {
 *         if (object.spec?.hostNetwork === true) throw forbidden('pods may not use the network of their node')
 *         if (object.metadata.labels?.['team'] === 'none') warn('set the label "team"')
 *       },
 *     },
 *   },
 * }
 */
export type AdmissionModule = PluginPlace & {
  /** Name of the module in messages, metrics and `--disable-admission-plugins`. */
  readonly name: string
  /** Rules by resource, such as "pods", "deployments.apps" or "pods/exec". */
  readonly resources: { readonly [R in keyof ResourceTypes]?: ResourceRules<ResourceTypes[R]> }
}

/** The functions of an admission module for one resource. Each may return a promise; the write waits for it. */
export interface ResourceRules<T extends object> {
  /**
   * Changes the new object in place, before it is validated. Called for creates, updates and connections. It must be idempotent: webhooks and
   * policies that change the object later can cause a second call.
   */
  admit?(write: ModuleWrite<T, T>): Promise<void> | void
  /** Checks the final object. Called for creates, updates and connections. */
  validate?(write: ModuleWrite<T, DeepReadonly<T>>): Promise<void> | void
  /** Checks the deletion of an object. */
  validateDelete?(write: ModuleDelete<T>): Promise<void> | void
}

/** The parts of a write that the functions of an admission module see. */
export interface ModuleRequest extends Pick<
  AdmissionAttributes,
  'context' | 'kind' | 'resource' | 'subresource' | 'namespace' | 'name' | 'dryRun' | 'options' | 'as'
> {
  readonly user: UserInfo
  /** Adds an annotation to the request's audit event. `key` is qualified ("example.com/reason"). */
  annotate(this: void, key: string, value: string): void
  /** Sends a warning to the client. */
  warn(this: void, text: string): void
  /** Creates the error with code 403 that rejects the write: `throw forbidden('…')`. */
  forbidden(this: void, reason: string): ApiError
}

/** A create, an update or a connection. The objects are in the version of `ResourceTypes`, without kind and apiVersion. */
export interface ModuleWrite<T extends object, Written> extends ModuleRequest {
  readonly operation: Exclude<AdmissionOperation, 'DELETE'>
  /** The new object, or the options of a connection. */
  readonly object: Written
  /** The stored object of an update. */
  readonly oldObject: DeepReadonly<T> | undefined
}

/** The deletion of an object. */
export interface ModuleDelete<T extends object> extends ModuleRequest {
  readonly operation: 'DELETE'
  readonly oldObject: DeepReadonly<T>
}

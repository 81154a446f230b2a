import type { PruneOptions } from '@keelson/api'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { copyObject, equalsJson, formatFieldError, formatGroupVersion, JsonError, finishTask, runInSlices } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, GroupVersionKind, JsonObject, KubeObject, Task } from '@keelson/apimachinery'
import type { ExpressionMetrics } from '@keelson/cel'
import type { DefaultOnRead } from '@keelson/storagebackend'
import { compileRulesStepwise } from '../rules/compiled-rules.ts'
import type { CompiledRules, RuleOptions } from '../rules/compiled-rules.ts'
import { compileSchemaStepwise } from '../schema/compile-schema.ts'
import type { CompiledSchema, ValidateOptions } from '../schema/compile-schema.ts'

export interface SchemaSource {
  /** Reads the schema from the stored definition. */
  load(): JSONSchemaProps | undefined
  /** Reads the schema like `load`, but decodes it in steps. Default: `load` decodes it. */
  decode?(): Task<JSONSchemaProps | undefined>
  /** Returns the schema as text without decoding it. Equal texts mean equal schemas. */
  loadText(): string
  /** Returns the size of the stored definition in bytes. */
  size(): number
  /** Metrics of the evaluation of rules. Default: none. */
  readonly ruleMetrics?: ExpressionMetrics | undefined
}

/** Size of a stored definition in bytes above which its schemas are compiled in time slices. */
const largeSize = 64 * 1024

/**
 * The schema of one version of a definition, compiled on first use. The loaded schema is not kept, because compiled schemas are much smaller.
 */
export class VersionSchema {
  readonly #source: SchemaSource
  readonly #apiVersion: string
  readonly #kind: string
  #compiled: CompiledSchema | null | undefined
  #rules: CompiledRules | null | undefined
  #hasStatusDefault = false
  #preparing: Promise<void> | undefined
  /** Converted objects that lack defaults. */
  readonly #incomplete = new WeakSet<object>()

  constructor(gvk: GroupVersionKind, source: SchemaSource) {
    this.#source = source
    this.#apiVersion = formatGroupVersion(gvk)
    this.#kind = gvk.kind
  }

  /**
   * Compiles a large schema in time slices. The other methods compile it without a pause if the caller does not wait for the result. Returns
   * undefined if the schema is compiled or small.
   */
  prepare(): Promise<void> | undefined {
    if (this.#preparing !== undefined) return this.#preparing
    if (this.#compiled !== undefined || this.#source.size() < largeSize) return undefined
    this.#preparing = Promise.resolve()
      .then(() => runInSlices(this.#compile()))
      .finally(() => (this.#preparing = undefined))
    return this.#preparing
  }

  /** Metrics of the evaluation of rules. */
  get ruleMetrics(): ExpressionMetrics | undefined {
    return this.#source.ruleMetrics
  }

  /** The schema as text, to compare it with others. It is not kept. */
  get text(): string {
    return this.#source.loadText()
  }

  /** Returns the object with kind and apiVersion, which objects inside the server lack. */
  typed(object: DeepReadonly<KubeObject>): JsonObject {
    return { apiVersion: this.#apiVersion, kind: this.#kind, ...(object as object) }
  }

  /**
   * Drops the fields of an object that a client sent and that the schema does not specify. Returns their paths. Throws `JsonError` for embedded
   * metadata of the wrong type.
   */
  prune(object: KubeObject, options?: PruneOptions): readonly string[] {
    const members = object as unknown as JsonObject
    const compiled = this.#get()
    if (compiled === undefined) return []
    const unknown = compiled.prune(members, options)
    const coercion = compiled.coerceEmbedded(members)
    if (coercion.error !== undefined) throw new JsonError(formatFieldError(coercion.error))
    return [...unknown, ...coercion.unknown]
  }

  /** Prunes a stored object and sets its defaults. Its schema may have changed since it was written. */
  refresh(object: KubeObject): void {
    const members = object as unknown as JsonObject
    const compiled = this.#get()
    compiled?.prune(members)
    compiled?.coerceEmbedded(members, { dropInvalid: true })
    if ((object.metadata.generation ?? 0) === 0) object.metadata.generation = 1
    compiled?.setDefaults(members)
  }

  setDefaults(object: KubeObject): void {
    this.#get()?.setDefaults(object as unknown as JsonObject)
  }

  /**
   * The defaults that stored objects lack. A create removes the status of the object, and conversions between versions set no defaults.
   * kube-apiserver sets them when it reads the object, and they are stored with the next write.
   */
  readonly defaultOnRead: DefaultOnRead = {
    isDue: (object) => this.#lacksStatus(object) || this.#incomplete.has(object),
    fill: (object) => this.setDefaults(object),
  }

  noteMissingDefaults(object: KubeObject): void {
    const filled = copyObject(object)
    this.setDefaults(filled)
    if (!equalsJson(filled as unknown as JsonObject, object as unknown as JsonObject)) this.#incomplete.add(object)
  }

  #lacksStatus(object: DeepReadonly<KubeObject>): boolean {
    return !Object.hasOwn(object, 'status') && this.#get() !== undefined && this.#hasStatusDefault
  }

  validate(object: JsonObject, old: JsonObject | undefined, options: ValidateOptions): FieldErrorList {
    return this.#get()?.validate(object, old, options) ?? []
  }

  validateStatus(object: JsonObject, old: JsonObject, options: ValidateOptions): FieldErrorList {
    return this.#get()?.validateStatus(object, old, options) ?? []
  }

  validateEmbedded(object: JsonObject): FieldErrorList {
    return this.#get()?.validateEmbedded(object) ?? []
  }

  validateListTypes(object: JsonObject, old?: JsonObject): FieldErrorList {
    return this.#get()?.validateListTypes(object, old) ?? []
  }

  get hasRules(): boolean {
    return this.#getRules() !== undefined
  }

  evaluateRules(object: JsonObject, old: JsonObject | undefined, options: RuleOptions): FieldErrorList {
    return this.#getRules()?.validate(object, old, options).errors ?? []
  }

  #get(): CompiledSchema | undefined {
    if (this.#compiled === undefined) finishTask(this.#compile())
    return this.#compiled ?? undefined
  }

  #getRules(): CompiledRules | undefined {
    if (this.#rules === undefined) finishTask(this.#compile())
    return this.#rules ?? undefined
  }

  *#compile(): Task<void> {
    const schema = this.#source.decode === undefined ? this.#source.load() : yield* this.#source.decode()
    yield
    const compiled = schema === undefined ? null : yield* compileSchemaStepwise(schema)
    this.#rules = (schema && (yield* compileRulesStepwise(schema))) ?? null
    const defaults: JsonObject = {}
    compiled?.setDefaults(defaults)
    this.#hasStatusDefault = Object.hasOwn(defaults, 'status')
    this.#compiled = compiled
  }
}

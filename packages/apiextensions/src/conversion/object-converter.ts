import type { KubeObject, ObjectMeta, Span } from '@keelson/apimachinery'

/** An object to convert. */
export interface ConversionInput {
  /** The version of the object, for example "v1beta1". */
  readonly version: string
  /** The object's JSON without kind, apiVersion and resourceVersion. */
  readonly body: Uint8Array
  /** Returns a copy of the object's metadata, which the caller may change. */
  readonly metadata: () => ObjectMeta
}

/** A converted object without kind and apiVersion, or the reason why the object could not be converted. */
export type Converted = KubeObject | Error

/** The request that needs a conversion. Its signal is read only if a webhook is called, because reading may create it. */
export interface ConversionCaller {
  readonly signal?: AbortSignal
  /** Step of a recorded request. */
  readonly span?: Span | undefined
}

/** Converts objects of one custom resource between its versions. */
export interface ObjectConverter {
  /**
   * Converts objects to the version `to`. The result has an entry for each object, in the same order. The message of an error is the error
   * text for the client. Rejects only with the reason of an aborted signal.
   */
  convert(objects: readonly ConversionInput[], to: string, caller: ConversionCaller | undefined): Promise<readonly Converted[]>
}

import {
  decodeStruct,
  fieldError,
  fieldPath,
  maybeThen,
  newInvalid,
  parseJson,
  restAfter,
  strictDecodingMessage,
} from '@keelson/apimachinery'
import type { Decoded, FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { DecodedBody } from '../decode/body.ts'
import { decodeChanged } from '../decode/changed.ts'
import { messageOf } from '../decode/document.ts'
import { nameMissing } from '../write/object-meta.ts'
import type { WriteRoute } from '../write/route.ts'
import { ofKind, patchedKind } from './patched-kind.ts'

export interface PatchedDocument {
  readonly patched: JsonValue
  readonly current: KubeObject
  readonly patchErrors: readonly string[]
  /** What errors call the patch. */
  readonly printed: () => string | Promise<string>
  /** An object that was made of objects need not say its kind again. */
  readonly converting: boolean
}

/** The patched document as a versioned object; what does not fit is the patch's fault. A promise where it takes long to print that. */
export function decodePatched(
  route: WriteRoute,
  context: RequestContext,
  document: PatchedDocument,
  validation: FieldValidation,
): DecodedBody | Promise<DecodedBody> {
  const { current, patchErrors, printed, converting } = document
  const whole = document.patched as JsonObject
  const refuse = (message: string): Promise<never> | never =>
    maybeThen(printed(), (text): never => {
      throw newInvalid({ group: '', kind: '' }, '', [fieldError.invalid(fieldPath('patch'), text, message)])
    })
  const strict = (errors: readonly string[], rest: () => DecodedBody): DecodedBody | Promise<DecodedBody> => {
    if (errors.length > 0 && validation === 'Strict') return refuse(strictDecodingMessage(errors))
    if (validation === 'Warn') for (const error of errors) context.warn(error)
    return rest()
  }
  const kind = converting ? 'right' : patchedKind(route, whole)
  if (kind === 'unversioned') {
    return strict([...patchErrors, ...unknownMembers(whole)], () => {
      throw nameMissing(current.metadata.name ?? '')
    })
  }
  if (kind !== 'right') return refuse(kind.misfit)
  const patched = ofKind(route, whole)
  const { type } = route
  let decoded: Decoded<KubeObject>
  const began = performance.now()
  try {
    decoded = type
      ? decodeChanged(type.schema, patched, current, { strict: validation, converting })
      : { object: patched as unknown as KubeObject, strictErrors: [] }
  } catch (error) {
    const found = messageOf(error)
    return maybeThen(restAfter(began), () =>
      converting || type === undefined
        ? refuse(found)
        : maybeThen(printed(), (text) =>
            maybeThen(restAfter(began), () => refuse(misfitOf(() => decodeStruct(type.schema, parseJson(text))) ?? found)),
          ),
    )
  }
  const { object, strictErrors, emptied } = decoded
  return maybeThen(converting ? strictErrors : inPrintedOrder(route, strictErrors, printed), (errors) =>
    strict([...patchErrors, ...errors], () => {
      const sent = emptied && type ? decodeStruct<KubeObject>(type.schema, patched, { keepEmptyLists: true, converting }).object : undefined
      return { object, sent }
    }),
  )
}

function misfitOf(decode: () => unknown): string | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Strict errors come in the order of the text that the original decodes. */
function inPrintedOrder(
  { type }: WriteRoute,
  errors: readonly string[],
  printed: PatchedDocument['printed'],
): readonly string[] | Promise<readonly string[]> {
  if (errors.length < 2 || type === undefined) return errors
  return maybeThen(printed(), (text) => decodeStruct(type.schema, parseJson(text), { strict: 'Strict' }).strictErrors)
}

/** Of an object that nothing is read of. */
function unknownMembers(patched: JsonObject): readonly string[] {
  const names = Object.keys(patched).filter((name) => name !== 'apiVersion' && name !== 'kind')
  return names.sort().map((name) => `unknown field ${JSON.stringify(name)}`)
}

import type { TypeSchema } from './type-schema.ts'

/** Formats a Go type for error messages: `int32`, `[]v1.Container`, `map[string]string`. */
export function goTypeName(schema: TypeSchema): string {
  if (schema.goName !== undefined) return schema.goName
  switch (schema.kind) {
    case 'list':
      return `[]${schema.pointerItems === true ? '*' : ''}${goTypeName(schema.items)}`
    case 'map':
      return `map[string]${goTypeName(schema.values)}`
    case 'struct':
      return `${packageOf(schema.definition)}.${schema.name}`
    default:
      return scalarNames[schema.kind] ?? schema.kind
  }
}

/** Parses "io.k8s.api.core.v1.PodSpec" into "v1". */
function packageOf(definition: string): string {
  return definition.split('.').at(-2) ?? ''
}

const scalarNames: Readonly<Record<string, string>> = {
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
}

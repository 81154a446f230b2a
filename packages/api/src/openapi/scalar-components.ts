import type { ScalarType } from '@keelson/apimachinery'
import type { OpenAPISchema } from './open-api-schema.ts'

/** Scalars with an inline OpenAPI schema. */
export const inlineScalars: Readonly<Partial<Record<ScalarType, OpenAPISchema>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { format: 'int32', type: 'integer' },
  int64: { format: 'int64', type: 'integer' },
  uint32: { format: 'int64', type: 'integer' },
  uint64: { format: 'int64', type: 'integer' },
  double: { format: 'double', type: 'number' },
  bytes: { format: 'byte', type: 'string' },
}

/** Zero values of scalars: the default of a field or item that is always written. */
export const scalarZeros: Readonly<Partial<Record<ScalarType, string | number | boolean>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  double: 0,
}

/** Scalars with an OpenAPI component of their own. */
export const scalarComponents: Readonly<Partial<Record<ScalarType, readonly [definition: string, schema: OpenAPISchema]>>> = {
  quantity: ['io.k8s.apimachinery.pkg.api.resource.Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  intOrString: [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  time: ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', { format: 'date-time', type: 'string' }],
  microTime: ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', { format: 'date-time', type: 'string' }],
  duration: ['io.k8s.apimachinery.pkg.apis.meta.v1.Duration', { type: 'string' }],
  rawExtension: ['io.k8s.apimachinery.pkg.runtime.RawExtension', { type: 'object' }],
  fieldsV1: ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', { type: 'object' }],
  json: ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', {}],
}

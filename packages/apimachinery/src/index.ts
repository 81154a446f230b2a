export type {
  DeepReadonly,
  DeleteOptions,
  JsonObject,
  JsonValue,
  KubeList,
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  Preconditions,
  Status,
  StatusCause,
  StatusDetails,
  TypeMeta,
} from './meta.ts'
export type { GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource } from './names.ts'
export {
  formatGroupVersion,
  groupKindString,
  groupResourceString,
  groupVersionKindString,
  groupVersionResourceString,
  parseGroupVersion,
  parseGroupVersionKind,
  sameGroupVersion,
  sameGroupVersionKind,
} from './name-strings.ts'
export type { RequestContext, RequestInfo, UserInfo } from './request.ts'
export type { FieldSchema, ListSchema, MapSchema, ScalarSchema, ScalarType, StructSchema, TypeSchema } from './type-schema.ts'
export { Scheme } from './scheme.ts'
export type { KindRegistration } from './scheme.ts'
export { byteLength, goJson, parseInt64, quote } from './go-text.ts'
export { FieldPath, fieldPath } from './field-path.ts'
export { aggregateFieldErrors, aggregateMessages, fieldError, fieldErrorBody, fieldErrorMessage, verbatim } from './field-error.ts'
export type { FieldError, FieldErrorConstructors, FieldErrorList, FieldErrorType, VerbatimValue } from './field-error.ts'
export { ApiError, apiErrorFromStatus, isApiError, reasons } from './api-error.ts'
export type { ApiErrorInit, Reason } from './api-error.ts'
export {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newGenericServerResponse,
  newGone,
  newInternal,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  newUnknownError,
  newUnsupportedMediaType,
} from './api-errors.ts'
export type { GenericServerResponseOptions } from './api-errors.ts'
export {
  emptyMessage,
  inclusiveRangeMessage,
  isCIdentifier,
  isConfigMapKey,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainWithUnderscore,
  isEnvVarName,
  isHTTPHeaderName,
  isInRange,
  isPathSegmentName,
  isQualifiedName,
  isRelaxedEnvVarName,
  isValidGroupID,
  isValidLabelValue,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
  isValidUserID,
  isWildcardDNS1123Subdomain,
  maxBytesMessage,
  maxLengthMessage,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  regexMessage,
} from './name-format.ts'
export type { Messages } from './name-format.ts'
export type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts'
export { everything, labelSelectorAsSelector, LabelsSelector, nothing, parseLabelSelector, selectorFromLabels } from './label-selector.ts'
export { escapeFieldValue, everyField, fieldEquals, FieldSelector, parseFieldSelector } from './field-selector.ts'
export type { FieldRequirement, FieldTransform } from './field-selector.ts'
export { parseJson } from './json-document.ts'
export type { ParsedJson } from './json-document.ts'
export { isJsonError, JsonError } from './json-error.ts'
export { decodeJson, decodeStruct } from './decode-struct.ts'
export type { Decoded, DecodeOptions, FieldValidation } from './decode-options.ts'
export { strictDecodingMessage } from './strict-errors.ts'
export { encodeJson, stringifyJson } from './encode-json.ts'
export { goTypeName } from './go-type-name.ts'

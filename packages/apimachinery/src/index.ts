export { appendAll } from './append-all.ts'
export { maxRequestValues, newTooManyValues, refuseTooManyValues } from './request-bounds.ts'
export { maybeThen } from './scheduling/maybe-then.ts'
export { nextTurn, sharedNextTurn } from './scheduling/next-turn.ts'
export { restAfter, sliceMilliseconds, TimeSlice } from './scheduling/time-slice.ts'
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
  ShardInfo,
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
export { pathAction, resourceAction } from './request.ts'
export type { RequestContext, RequestedAction, RequestInfo, UserInfo } from './request.ts'
export type { FieldSchema, ListSchema, MapSchema, ScalarSchema, ScalarType, StructSchema, TypeSchema } from './type-schema.ts'
export { structSchema } from './struct-schema.ts'
export { Scheme } from './scheme.ts'
export type { FieldLabelRefusal, KindRegistration } from './scheme.ts'
export { byteLength, goJson, goValue, parseInt64, quote } from './go-text.ts'
export { FieldPath, fieldPath, unnamedPath } from './field-path.ts'
export { repeatCheck } from './repeat-check.ts'
export { closestMatch } from './closest-match.ts'
export {
  hasMethods,
  isAnything,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  listOf,
  mapOf,
  objectOf,
  optionProblems,
  required,
} from './check-options.ts'
export type { OptionCheck, OptionTable } from './check-options.ts'
export {
  aggregateFieldErrors,
  aggregateMessages,
  collectFieldErrors,
  fieldError,
  fieldErrorBody,
  fieldErrorMessage,
  verbatim,
} from './field-error.ts'
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
  newProtobufNotAcceptable,
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
export { copyObject } from './copy-object.ts'
export { setOwn } from './json-reader.ts'
export { compareUtf8, hasUtf16Order } from './utf8-order.ts'
export { isJsonObject } from './json-object.ts'
export { mapList } from './map-list.ts'
export { parseJson } from './json-document.ts'
export type { ParsedJson } from './json-document.ts'
export { isJsonError, JsonError } from './json-error.ts'
export { asSent, copyAsSent, holdsSentEmpty, wasSentEmpty } from './sent-empty.ts'
export { describe as describeJson } from './decode-context.ts'
export { canonicalStruct, decodeJson, decodeStruct } from './decode-struct.ts'
export type { Decoded, DecodeOptions, FieldValidation } from './decode-options.ts'
export { strictDecodingMessage } from './strict-errors.ts'
export { encodeJson, sharedJson, stringifyJson } from './encode-json.ts'
export { goTypeName } from './go-type-name.ts'
export { addQuantities, parseQuantities } from './quantities.ts'
export type { Quantities } from './quantities.ts'
export { canonicalQuantity, parseQuantity, Quantity } from './quantity.ts'
export type { QuantityFormat } from './quantity-parts.ts'
export { intValue, isIntOrString, percentValue, scaledValue } from './int-or-string.ts'
export type { IntOrString, ScaledOptions } from './int-or-string.ts'
export { formatDuration, parseDuration } from './duration.ts'
export type { DurationNanos } from './duration.ts'
export {
  formatMicroTime,
  formatTime,
  normalizeMicroTime,
  normalizeTime,
  requestTime,
  parseInstant,
  parseMicroTime,
  parseTime,
  toMillis,
} from './time.ts'
export type { Instant } from './time.ts'
export { generateName, newUid, randomSuffix } from './identifiers.ts'
export {
  totalAnnotationSizeLimit,
  validateAnnotations,
  validateFinalizerName,
  validateFinalizers,
  validateLabelName,
  validateLabels,
  validateLabelSelector,
  validateManagedFields,
  validateNoNewFinalizers,
  validateOwnerReferences,
} from './metadata-validation.ts'
export type { LabelSelectorValidationOptions } from './metadata-validation.ts'
export {
  immutableMessage,
  notNegativeMessage,
  semanticEqual,
  validateImmutableField,
  validateNonNegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta-validation.ts'
export type { ObjectMetaRules } from './object-meta-validation.ts'
export {
  validateCreateOptions,
  validateDeleteOptions,
  validateDryRun,
  validateFieldManager,
  validateFieldValidation,
  validateListOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from './options-validation.ts'
export type { ListOptions, PatchOptions, WriteOptions } from './options-validation.ts'
export { validateCondition, validateConditions } from './conditions-validation.ts'
export type { Condition } from './conditions-validation.ts'
export { pause, systemClock } from './clock.ts'
export type { Clock, TimerOptions } from './clock.ts'
export { pemBlocks } from './pem.ts'
export type { PemBlock } from './pem.ts'
export { trim, trimRight } from './trim.ts'
export { anonymousUser, apiServerUser, authenticatedGroup, mastersGroup, unauthenticatedGroup } from './user-names.ts'
export { messageOf } from './message-of.ts'

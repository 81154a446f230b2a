export {
  FieldPath,
  aggregateFieldErrors,
  aggregateMessages,
  appendAll,
  collectFieldErrors,
  fieldError,
  formatFieldErrorBody,
  formatFieldError,
  newFieldPath,
  repeatCheck,
  unnamedPath,
  createVerbatimValue,
} from './field-error.ts'
export { maxRequestDepth, maxRequestValues, newTooManyValues, parseJson, parseJsonRequest, refuseTooManyValues } from './json-document.ts'
export { findBase64Error } from './decode-scalar.ts'
export { advanceTask, finishTask, runInSlices } from './task.ts'
export type { Task } from './task.ts'
export { TimeSlice, runAfter, waitForNextTurn, pauseIfLong, waitForShare, waitForSharedTurn, sliceMilliseconds } from './scheduling.ts'
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
  compareVersions,
  formatGroupVersion,
  groupKindString,
  groupResourceString,
  groupVersionKindString,
  groupVersionResourceString,
  parseGroupVersion,
  parseGroupVersionKind,
  equalsGroupVersion,
  equalsGroupVersionKind,
} from './names.ts'
export {
  anonymousUser,
  apiServerUser,
  authenticatedGroup,
  mastersGroup,
  createPathAction,
  createResourceAction,
  unauthenticatedGroup,
} from './request.ts'
export type {
  AnnotationLevel,
  ExcludedLayer,
  LatencyLayer,
  RequestContext,
  RequestedAction,
  RequestInfo,
  RequestObject,
  UserInfo,
} from './request.ts'
export type { CallSpan, LazySpanAttributes, Span, SpanAttributes, StartedCall } from './span.ts'
export type { FieldSchema, ListSchema, MapSchema, ScalarSchema, ScalarType, StructSchema, TypeSchema } from './type-schema.ts'
export { goTypeName, createStructSchema } from './type-schema.ts'
export { Scheme } from './scheme.ts'
export type { FieldLabelMessage, KindRegistration } from './scheme.ts'
export {
  measureUtf8Bytes,
  encodeJson,
  goJson,
  goValue,
  parseBoolean,
  parseInt64,
  quote,
  getSharedJson,
  shortEscapes,
  stringifyJson,
} from './go-text.ts'
export { formatFloat } from './yaml/format-float.ts'
export { findClosestMatch } from './closest-match.ts'
export {
  hasMethods,
  isAnything,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  isListOf,
  isMapOf,
  isObjectOf,
  checkOptions,
  requireOption,
} from './check-options.ts'
export type { OptionCheck, OptionTable } from './check-options.ts'
export type { FieldError, FieldErrorConstructors, FieldErrorList, FieldErrorType, VerbatimValue } from './field-error.ts'
export { ApiError, createApiErrorFromStatus, isApiError, getErrorMessage, reasons } from './api-error.ts'
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
  formatInclusiveRangeMessage,
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
  formatMaxBytesMessage,
  formatMaxLengthMessage,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  formatRegexMessage,
} from './name-format.ts'
export type { Messages } from './name-format.ts'
export type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts'
export {
  selectEverything,
  labelSelectorAsSelector,
  LabelsSelector,
  selectNothing,
  parseLabelSelector,
  createSelectorFromLabels,
} from './label-selector.ts'
export { escapeFieldValue, selectEveryField, selectField, FieldSelector, parseFieldSelector } from './field-selector.ts'
export type { FieldRequirement, FieldTransform } from './field-selector.ts'
export { copyObject, equalsJson, isDeeperThan, isJsonObject, mapList } from './json-value.ts'
export { setOwn } from './set-own.ts'
export { compareUtf8, hasUtf16Order } from './utf8-order.ts'
export type { ParsedJson } from './json-document.ts'
export { isJsonError, JsonError } from './json-error.ts'
export {
  copyEmptyMarks,
  copyWithEmptyMarks,
  getJsonType,
  hasEmptyMarks,
  formatStrictDecodingMessage,
  wasSentEmpty,
} from './decode-context.ts'
export { canonicalizeStruct, decodeJson, decodeStruct } from './decode-struct.ts'
export type { Decoded, DecodeOptions, FieldValidation } from './decode-context.ts'
export { Quantity, addQuantities, canonicalizeQuantity, parseQuantities, parseQuantity } from './quantity.ts'
export type { Quantities } from './quantity.ts'
export type { QuantityFormat } from './quantity-parts.ts'
export { parseIntValue, isIntOrString, parsePercent, scaleIntOrString } from './int-or-string.ts'
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
export { generateName, newUid, generateSuffix } from './identifiers.ts'
export {
  immutableMessage,
  notNegativeMessage,
  equalsSemantically,
  totalAnnotationSizeLimit,
  validateAnnotations,
  validateFinalizerName,
  validateFinalizers,
  validateImmutableField,
  validateLabelName,
  validateLabelSelector,
  validateLabels,
  validateManagedFields,
  validateNoNewFinalizers,
  validateNonNegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateOwnerReferences,
} from './object-meta-validation.ts'
export type { LabelSelectorValidationOptions, ObjectMetaRules } from './object-meta-validation.ts'
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
export { monotonicClock, pause, systemClock } from './clock.ts'
export type { Clock, TimerOptions } from './clock.ts'
export { TokenBucket } from './token-bucket.ts'
export type { TokenRate } from './token-bucket.ts'
export { LinkedList } from './linked-list.ts'
export type { ListNode } from './linked-list.ts'
export { parsePemBlocks } from './pem.ts'
export type { PemBlock } from './pem.ts'
export { trim, trimRight } from './trim.ts'
export { parseStoredJson, UndecodedObject } from './undecoded-object.ts'
export { findUrlSyntaxError, validateWebhookService, validateWebhookURL } from './webhook-client-validation.ts'
export type { WebhookServiceReference } from './webhook-client-validation.ts'

/// The stages that a caller has joined or added. A stage that is not new was running already.
struct StagePlace {
  let task: TaskID
  let fetch: FetchID
  let decode: DecodeID
  let processedImage: ProcessedImageID
  let isNewFetch: Bool
  let isNewDecode: Bool
  let isNewProcessedImage: Bool
  let demand: DemandChange
}

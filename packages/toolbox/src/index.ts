// The public surface of @tunic/toolbox.

export { type ToolSearchOptions, toolSearch } from "./tool-search.js";

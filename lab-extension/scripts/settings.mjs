// Writes schema/plugin.json: what the page itself can be told, and the settings of the checker from its own schema.
// `--check` writes nothing, and fails where the file is not what would be written.
import { readFileSync, writeFileSync } from "node:fs";

const here = new URL("../", import.meta.url);
const target = new URL("schema/plugin.json", here);
const checker = JSON.parse(
	readFileSync(new URL("../docs/torchwise.schema.json", here), "utf8"),
);
const page = JSON.parse(
	readFileSync(new URL("scripts/page.json", here), "utf8"),
);

const SHOWN = [
	"select",
	"extend-select",
	"ignore",
	"severity",
	"exclude",
	"extend-exclude",
	"target-torch",
];

const camel = (name) =>
	name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Null stands for "as the project's own settings say". Rules may be named by prefixes too, so no list is offered. */
function property(name) {
	const { type, items, additionalProperties, pattern, description } =
		checker.properties[name];
	const value =
		type === "array"
			? { type, items: items.type ? items : { type: "string" } }
			: { type, additionalProperties, pattern };
	return {
		title: name.replace(/-/g, " "),
		description: `${description} Null: as the project says.`,
		default: null,
		anyOf: [{ type: "null" }, value],
	};
}

const properties = { ...page.properties };
for (const name of SHOWN) {
	if (!(name in checker.properties))
		throw new Error(`the checker has no setting ${name}`);
	properties[camel(name)] = property(name);
}
const text = `${JSON.stringify({ ...page, properties }, null, 2)}\n`;

if (process.argv.includes("--check")) {
	if (readFileSync(target, "utf8") !== text) {
		console.error(
			"lab-extension/schema/plugin.json is not what `npm run settings` writes",
		);
		process.exit(1);
	}
} else {
	writeFileSync(target, text);
}

import { render } from "preact";
import { start } from "./state";
import { App, initTheme } from "./view/App";

initTheme();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void start();

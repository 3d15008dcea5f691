"""What must hold, a module for each thing that it is about, whose first line says what."""
